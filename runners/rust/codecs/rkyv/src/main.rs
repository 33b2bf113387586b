//! rkyv as documented: `to_bytes_in`, which keeps the buffer, `from_bytes`, and in place `access` and `access_mut`, all
//! checked.

use std::mem::take;
use std::process::ExitCode;

use rkyv::api::high::{HighDeserializer, to_bytes_in};
use rkyv::rancor::Error;
use rkyv::{Archive, Deserialize};
use wirelab_kit::{About, Access, Codec, Decode, Encode, Fields, Runner, Update};
use wirelab_rkyv::{Aligned, Checked, Updated, Written};

wirelab_derives::types!("rkyv");

#[derive(Default)]
struct Rkyv;

impl Codec for Rkyv {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: Written> Encode<T> for Rkyv {
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        buffer.0 = to_bytes_in(value, take(&mut buffer.0))?;
        Ok(())
    }
}

impl<T: Archive> Decode<'_, T> for Rkyv
where
    T::Archived: Checked + Deserialize<T, HighDeserializer<Error>>,
{
    fn decode(&mut self, input: &Aligned) -> Result<T, Error> {
        rkyv::from_bytes(&input.0)
    }
}

impl<T: Archive<Archived: Checked + Fields + 'static>> Access<T> for Rkyv {
    type Root<'a> = &'a T::Archived;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<&'a T::Archived, Error> {
        rkyv::access::<T::Archived, Error>(&input.0)
    }
}

impl<T: Archive<Archived: Checked + Updated>> Update<T> for Rkyv {
    fn update(&mut self, message: &mut Aligned) -> Result<(), Error> {
        rkyv::access_mut::<T::Archived, Error>(&mut message.0).map(T::Archived::update)
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
