//! simd-json's best: parsed in place, with all buffers reused.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use simd_json::Buffers;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct SimdJson {
    bytes: Vec<u8>,
    buffers: Buffers,
}

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

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SimdJson {
    fn decode(&'a mut self, input: &[u8]) -> Result<T, simd_json::Error> {
        // Parsing destroys its input. The copy that it destroys is made inside the clock, since every caller that still
        // needs the message has to make one.
        self.bytes.clear();
        self.bytes.extend_from_slice(input);
        simd_json::serde::from_slice_with_buffers(&mut self.bytes, &mut self.buffers)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SimdJson>::new(About {
        codec: "rust/simd-json-in-place",
        format: "JSON",
        library: Some("simd-json"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).any(&[]).run()
}
