//! rkyv as documented: `to_bytes_in`, which keeps the buffer, `from_bytes`, and `access` in place, both checked.

use std::mem::take;
use std::process::ExitCode;

use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator, to_bytes_in};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Deserialize, Serialize};
use wirelab_kit::{About, Access, Codec, Decode, Encode, Fields, Runner};
use wirelab_rkyv::Aligned;

wirelab_derives::types!("rkyv");

#[derive(Default)]
struct Rkyv;

impl Codec for Rkyv {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T> Encode<T> for Rkyv
where
    T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Error>>,
{
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        buffer.0 = to_bytes_in(value, take(&mut buffer.0))?;
        Ok(())
    }
}

impl<T: Archive> Decode<'_, T> for Rkyv
where
    T::Archived: for<'a> CheckBytes<HighValidator<'a, Error>>,
    T::Archived: Deserialize<T, HighDeserializer<Error>>,
{
    fn decode(&mut self, input: &Aligned) -> Result<T, Error> {
        rkyv::from_bytes(&input.0)
    }
}

impl<T: Archive> Access<T> for Rkyv
where
    T::Archived: for<'a> CheckBytes<HighValidator<'a, Error>> + Fields + 'static,
{
    type Root<'a> = &'a T::Archived;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<&'a T::Archived, Error> {
        rkyv::access::<T::Archived, Error>(&input.0)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Rkyv>::new(About {
        codec: "rust/rkyv",
        format: "rkyv",
        library: Some("rkyv"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
