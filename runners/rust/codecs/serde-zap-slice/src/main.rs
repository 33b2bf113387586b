//! serde-zap: `to_slice` into preallocated memory, and `from_bytes`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct SerdeZap;

impl Codec for SerdeZap {
    type Buffer = Preallocated;
    type EncodeError = serde_zap::Error;
    type DecodeError = serde_zap::Error;
}

impl<T: Serialize> Encode<T> for SerdeZap {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), serde_zap::Error> {
        buffer.fill(
            |memory| serde_zap::to_slice(value, memory).map(|bytes| bytes.len()),
            |error| *error == serde_zap::Error::ExceedsBuffer,
        )
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SerdeZap {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, serde_zap::Error> {
        serde_zap::from_bytes(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeZap>::new(About {
        codec: "rust/serde-zap-slice",
        format: "bincode",
        library: Some("serde-zap"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    })
    .identical("deserialize", "rust/serde-zap");
    wirelab_messages::serve_borrowed(runner).run()
}
