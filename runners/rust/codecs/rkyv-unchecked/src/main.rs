//! rkyv without validation: `from_bytes_unchecked`, and in place `access_unchecked` and `access_unchecked_mut`.

use std::mem::take;
use std::process::ExitCode;

use rkyv::api::high::{HighDeserializer, to_bytes_in};
use rkyv::rancor::Error;
use rkyv::{Archive, Deserialize};
use wirelab_kit::{About, Access, Codec, Decode, Encode, Fields, Runner, Update};
use wirelab_rkyv::{Aligned, Checked, Updated, Written};

wirelab_derives::types!("rkyv");

#[derive(Default)]
struct Unchecked;

impl Codec for Unchecked {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: Written> Encode<T> for Unchecked {
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        buffer.0 = to_bytes_in(value, take(&mut buffer.0))?;
        Ok(())
    }
}

impl<T: Archive> Decode<'_, T> for Unchecked
where
    T::Archived: Checked + Deserialize<T, HighDeserializer<Error>>,
{
    fn decode(&mut self, input: &Aligned) -> Result<T, Error> {
        // SAFETY: `input` comes from `to_bytes_in` of the same type, or has passed `validate`.
        unsafe { rkyv::from_bytes_unchecked(&input.0) }
    }

    fn validate(&mut self, input: &Aligned) -> Result<(), Error> {
        rkyv::access::<T::Archived, Error>(&input.0).map(drop)
    }
}

impl<T: Archive<Archived: Fields + 'static>> Access<T> for Unchecked {
    type Root<'a> = &'a T::Archived;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<&'a T::Archived, Error> {
        // SAFETY: as above.
        Ok(unsafe { rkyv::access_unchecked::<T::Archived>(&input.0) })
    }
}

impl<T: Archive<Archived: Updated>> Update<T> for Unchecked {
    fn update(&mut self, message: &mut Aligned) -> Result<(), Error> {
        // SAFETY: as above.
        T::Archived::update(unsafe { rkyv::access_unchecked_mut(&mut message.0) });
        Ok(())
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
