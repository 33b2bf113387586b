//! minicbor: its derives, which number fields, `encode` and `decode`.

use std::convert::Infallible;
use std::process::ExitCode;

use minicbor::{decode, encode};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("minicbor");

#[derive(Default)]
struct Minicbor;

impl Codec for Minicbor {
    type Buffer = Vec<u8>;
    type EncodeError = encode::Error<Infallible>;
    type DecodeError = decode::Error;
}

impl<T: minicbor::Encode<()>> Encode<T> for Minicbor {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Self::EncodeError> {
        minicbor::encode(value, buffer)
    }
}

impl<'a, T: minicbor::Decode<'a, ()>> Decode<'a, T> for Minicbor {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, decode::Error> {
        minicbor::decode(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Minicbor>::new(About {
        codec: "rust/minicbor",
        format: "CBOR",
        library: Some("minicbor"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
