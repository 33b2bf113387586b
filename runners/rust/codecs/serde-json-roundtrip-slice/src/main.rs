//! serde_json with its feature `float_roundtrip`, and what `to_writer` does, into preallocated memory.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct SerdeJson;

impl Codec for SerdeJson {
    type Buffer = Preallocated;
    type EncodeError = serde_json::Error;
    type DecodeError = serde_json::Error;
}

impl<T: Serialize> Encode<T> for SerdeJson {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), serde_json::Error> {
        buffer.fill(
            |memory| {
                let length = memory.len();
                let mut serializer = serde_json::Serializer::new(memory);
                value.serialize(&mut serializer)?;
                Ok(length - serializer.into_inner().len())
            },
            serde_json::Error::is_io,
        )
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SerdeJson {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, serde_json::Error> {
        serde_json::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeJson>::new(About {
        codec: "rust/serde-json-roundtrip-slice",
        format: "JSON",
        library: Some("serde_json"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    })
    .identical("deserialize", "rust/serde-json-roundtrip");
    wirelab_messages::serve(runner).any(&[]).run()
}
