//! zerompk: its derives, structs as arrays, `to_msgpack` into preallocated memory, and `from_msgpack`.

use std::process::ExitCode;

use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};
use zerompk::{Error, FromMessagePack, ToMessagePack};

wirelab_derives::types!("zerompk");

#[derive(Default)]
struct Zerompk;

impl Codec for Zerompk {
    type Buffer = Preallocated;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: ToMessagePack> Encode<T> for Zerompk {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), Error> {
        buffer.fill(
            |memory| zerompk::to_msgpack(value, memory),
            |error| matches!(error, Error::BufferTooSmall),
        )
    }
}

impl<'a, T: FromMessagePack<'a>> Decode<'a, T> for Zerompk {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        zerompk::from_msgpack(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Zerompk>::new(About {
        codec: "rust/zerompk-slice",
        format: "MessagePack",
        library: Some("zerompk"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/zerompk");
    types::serve(runner).run()
}
