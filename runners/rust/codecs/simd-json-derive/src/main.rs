//! simd-json with derives of its own, in place of serde's: `json_write`, and `from_slice_with_buffers`.

use std::io;
use std::process::ExitCode;

use simd_json::Buffers;
use simd_json_derive::de::Error;
use simd_json_derive::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("simd-json-derive");

#[derive(Default)]
struct SimdJsonDerive {
    bytes: Vec<u8>,
    buffers: Buffers,
}

impl Codec for SimdJsonDerive {
    type Buffer = Vec<u8>;
    type EncodeError = io::Error;
    type DecodeError = Error;
}

impl<T: Serialize> Encode<T> for SimdJsonDerive {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> io::Result<()> {
        value.json_write(buffer)
    }
}

impl<'a, T: Deserialize<'a> + 'a> Decode<'a, T> for SimdJsonDerive {
    fn decode(&'a mut self, input: &[u8]) -> Result<T, Error> {
        // Parsing destroys its input. The copy that it destroys is made inside the clock, as in rust/simd-json-in-place.
        self.bytes.clear();
        self.bytes.extend_from_slice(input);
        T::from_slice_with_buffers(&mut self.bytes, &mut self.buffers)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SimdJsonDerive>::new(About {
        codec: "rust/simd-json-derive",
        format: "JSON",
        library: Some("simd-json-derive"),
        api: "derive",
        validation: true,
        self_describing: true,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
