//! serde_json with its feature `float_roundtrip`: each double is read back exactly, which takes longer.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct SerdeJson;

impl Codec for SerdeJson {
    type Buffer = Vec<u8>;
    type EncodeError = serde_json::Error;
    type DecodeError = serde_json::Error;
}

impl<T: Serialize> Encode<T> for SerdeJson {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SerdeJson {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, serde_json::Error> {
        serde_json::from_slice(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for SerdeJson {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_slice(input);
        T::deserialize_in_place(&mut reader, value)?;
        reader.end()
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeJson>::new(About {
        codec: "rust/serde-json-roundtrip",
        format: "JSON",
        library: Some("serde_json"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve(runner))
        .any(&[])
        .run()
}
