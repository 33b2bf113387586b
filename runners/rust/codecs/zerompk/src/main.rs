//! zerompk: its derives, structs as arrays, `write_msgpack` and `from_msgpack`.

use std::process::ExitCode;

use wirelab_kit::{About, Codec, Decode, Encode, Runner};
use zerompk::{Error, FromMessagePack, ToMessagePack};

wirelab_derives::types!("zerompk");

#[derive(Default)]
struct Zerompk;

impl Codec for Zerompk {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: ToMessagePack> Encode<T> for Zerompk {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        zerompk::write_msgpack(buffer, value)
    }
}

impl<'a, T: FromMessagePack<'a>> Decode<'a, T> for Zerompk {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        zerompk::from_msgpack(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Zerompk>::new(About {
        codec: "rust/zerompk",
        format: "MessagePack",
        library: Some("zerompk"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
