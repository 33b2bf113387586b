//! simd-json as published: `to_writer` and `from_reader`, which copies its input.

use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct SimdJson;

impl Codec for SimdJson {
    type Buffer = Vec<u8>;
    type EncodeError = simd_json::Error;
    type DecodeError = simd_json::Error;
}

impl<T: Serialize> Encode<T> for SimdJson {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), simd_json::Error> {
        simd_json::serde::to_writer(buffer, value)
    }
}

impl<T: DeserializeOwned> Decode<'_, T> for SimdJson {
    fn decode(&mut self, input: &[u8]) -> Result<T, simd_json::Error> {
        simd_json::serde::from_reader(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SimdJson>::new(About {
        codec: "rust/simd-json",
        format: "JSON",
        library: Some("simd-json"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve(runner).any(&[]).run()
}
