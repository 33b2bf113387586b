//! rmp-serde, structs as arrays: `encode::write` into preallocated memory, and `from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct RmpSerde;

impl Codec for RmpSerde {
    type Buffer = Preallocated;
    type EncodeError = rmp_serde::encode::Error;
    type DecodeError = rmp_serde::decode::Error;
}

impl<T: Serialize> Encode<T> for RmpSerde {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Preallocated,
    ) -> Result<(), rmp_serde::encode::Error> {
        buffer.advance(
            |rest| rmp_serde::encode::write(rest, value),
            |error| matches!(error, rmp_serde::encode::Error::InvalidValueWrite(_)),
        )
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for RmpSerde {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, rmp_serde::decode::Error> {
        rmp_serde::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<RmpSerde>::new(About {
        codec: "rust/rmp-serde-slice",
        format: "MessagePack",
        library: Some("rmp-serde"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    })
    .identical("deserialize", "rust/rmp-serde");
    wirelab_messages::serve_borrowed(runner).run()
}
