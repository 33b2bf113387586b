//! rmp-serde as published, structs as arrays: `encode::write` and `from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct RmpSerde;

impl Codec for RmpSerde {
    type Buffer = Vec<u8>;
    type EncodeError = rmp_serde::encode::Error;
    type DecodeError = rmp_serde::decode::Error;
}

impl<T: Serialize> Encode<T> for RmpSerde {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), rmp_serde::encode::Error> {
        rmp_serde::encode::write(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for RmpSerde {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, rmp_serde::decode::Error> {
        rmp_serde::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<RmpSerde>::new(About {
        codec: "rust/rmp-serde",
        format: "MessagePack",
        library: Some("rmp-serde"),
        api: "serde",
        validation: true,
        self_describing: false,
    });
    wirelab_messages::serve_logs(wirelab_messages::serve_borrowed(runner)).run()
}
