//! rkyv without validation: `from_bytes_unchecked`, and `access_unchecked` in place.

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
struct Unchecked;

impl Codec for Unchecked {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T> Encode<T> for Unchecked
where
    T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Error>>,
{
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        buffer.0 = to_bytes_in(value, take(&mut buffer.0))?;
        Ok(())
    }
}

impl<T: Archive> Decode<'_, T> for Unchecked
where
    T::Archived: for<'a> CheckBytes<HighValidator<'a, Error>>,
    T::Archived: Deserialize<T, HighDeserializer<Error>>,
{
    fn decode(&mut self, input: &Aligned) -> Result<T, Error> {
        // SAFETY: `input` comes from `to_bytes_in` of the same type, or has passed `validate`.
        unsafe { rkyv::from_bytes_unchecked(&input.0) }
    }

    fn validate(&mut self, input: &Aligned) -> Result<(), Error> {
        rkyv::access::<T::Archived, Error>(&input.0).map(drop)
    }
}

impl<T: Archive> Access<T> for Unchecked
where
    T::Archived: rkyv::Portable + Fields + 'static,
{
    type Root<'a> = &'a T::Archived;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<&'a T::Archived, Error> {
        // SAFETY: as above.
        Ok(unsafe { rkyv::access_unchecked::<T::Archived>(&input.0) })
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Unchecked>::new(About {
        codec: "rust/rkyv-unchecked",
        format: "rkyv",
        library: Some("rkyv"),
        api: "derive",
        validation: false,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner.identical("serialize", "rust/rkyv")).run()
}
