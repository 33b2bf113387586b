//! bitcode as documented: its own derives, `encode` and `decode`.

use std::convert::Infallible;
use std::process::ExitCode;

use bitcode::Error;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("bitcode");

#[derive(Default)]
struct Bitcode;

impl Codec for Bitcode {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = Error;
}

impl<T: bitcode::Encode> Encode<T> for Bitcode {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Infallible> {
        *buffer = bitcode::encode(value);
        Ok(())
    }
}

impl<'a, T: bitcode::Decode<'a>> Decode<'a, T> for Bitcode {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        bitcode::decode(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Bitcode>::new(About {
        codec: "rust/bitcode",
        format: "bitcode",
        library: Some("bitcode"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
