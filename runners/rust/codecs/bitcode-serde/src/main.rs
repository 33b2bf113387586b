//! bitcode through serde: `serialize` and `deserialize`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct BitcodeSerde;

impl Codec for BitcodeSerde {
    type Buffer = Vec<u8>;
    type EncodeError = bitcode::Error;
    type DecodeError = bitcode::Error;
}

impl<T: Serialize> Encode<T> for BitcodeSerde {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), bitcode::Error> {
        *buffer = bitcode::serialize(value)?;
        Ok(())
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for BitcodeSerde {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, bitcode::Error> {
        bitcode::deserialize(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<BitcodeSerde>::new(About {
        codec: "rust/bitcode-serde",
        // Not what its own derives write.
        format: "bitcode serde",
        library: Some("bitcode"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).run()
}
