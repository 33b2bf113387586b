//! msgpacker: its derives, `pack_to_vec`, and `unpack` into owned and borrowed values. The fields of a struct follow each
//! other, without an array around them.

use std::convert::Infallible;
use std::process::ExitCode;

use msgpacker::{Error, Packable};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("msgpacker");

/// The library has one trait for messages that own what they hold, and another for those that borrow it.
trait Decoded<'a>: Sized {
    fn decoded(input: &'a [u8]) -> Result<Self, Error>;
}

#[derive(Default)]
struct Msgpacker;

impl Codec for Msgpacker {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = Error;
}

impl<T: Packable> Encode<T> for Msgpacker {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Infallible> {
        *buffer = value.pack_to_vec();
        Ok(())
    }
}

impl<'a, T: Decoded<'a>> Decode<'a, T> for Msgpacker {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        T::decoded(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Msgpacker>::new(About {
        codec: "rust/msgpacker",
        format: "msgpacker",
        library: Some("msgpacker"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
