//! simd-json with derives of its own: `json_write` into preallocated memory, and `from_slice_with_buffers`.

use std::io;
use std::process::ExitCode;

use simd_json::Buffers;
use simd_json_derive::de::Error;
use simd_json_derive::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

wirelab_derives::types!("simd-json-derive");

#[derive(Default)]
struct SimdJsonDerive {
    bytes: Vec<u8>,
    buffers: Buffers,
}

impl Codec for SimdJsonDerive {
    type Buffer = Preallocated;
    type EncodeError = io::Error;
    type DecodeError = Error;
}

impl<T: Serialize> Encode<T> for SimdJsonDerive {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> io::Result<()> {
        buffer.advance(
            |rest| value.json_write(rest),
            |error| error.kind() == io::ErrorKind::WriteZero,
        )
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
        codec: "rust/simd-json-derive-slice",
        format: "JSON",
        library: Some("simd-json-derive"),
        api: "derive",
        validation: true,
        self_describing: true,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/simd-json-derive");
    types::serve(runner).run()
}
