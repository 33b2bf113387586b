//! serde-zap as documented: `to_vec` and `from_bytes`. It writes bincode 2's bytes, and reads them.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct SerdeZap;

impl Codec for SerdeZap {
    type Buffer = Vec<u8>;
    type EncodeError = serde_zap::Error;
    type DecodeError = serde_zap::Error;
}

impl<T: Serialize> Encode<T> for SerdeZap {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), serde_zap::Error> {
        *buffer = serde_zap::to_vec(value)?;
        Ok(())
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SerdeZap {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, serde_zap::Error> {
        serde_zap::from_bytes(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeZap>::new(About {
        codec: "rust/serde-zap",
        format: "bincode",
        library: Some("serde-zap"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).run()
}
