//! wincode with a byte for each variant: its derives, `serialize_into` preallocated memory, and `deserialize`.

use std::process::ExitCode;

use wincode::config::DefaultConfig;
use wincode::{ReadError, SchemaRead, SchemaWrite, WriteError};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

wirelab_derives::types!("wincode");

#[derive(Default)]
struct Wincode;

impl Codec for Wincode {
    type Buffer = Preallocated;
    type EncodeError = WriteError;
    type DecodeError = ReadError;
}

impl<T: SchemaWrite<DefaultConfig, Src = T>> Encode<T> for Wincode {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), WriteError> {
        buffer.advance(
            |rest| wincode::serialize_into(rest, value),
            |error| matches!(error, WriteError::Io(_)),
        )
    }
}

impl<'a, T: SchemaRead<'a, DefaultConfig, Dst = T>> Decode<'a, T> for Wincode {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, ReadError> {
        wincode::deserialize(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Wincode>::new(About {
        codec: "rust/wincode-slice",
        format: "wincode",
        library: Some("wincode"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/wincode");
    types::serve(runner).run()
}
