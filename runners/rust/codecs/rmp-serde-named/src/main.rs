//! rmp-serde as published, structs as maps: `encode::write_named` and `from_slice`.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct RmpSerdeNamed;

impl Codec for RmpSerdeNamed {
    type Buffer = Vec<u8>;
    type EncodeError = rmp_serde::encode::Error;
    type DecodeError = rmp_serde::decode::Error;
}

impl<T: Serialize> Encode<T> for RmpSerdeNamed {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), rmp_serde::encode::Error> {
        rmp_serde::encode::write_named(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for RmpSerdeNamed {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, rmp_serde::decode::Error> {
        rmp_serde::from_slice(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for RmpSerdeNamed {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), rmp_serde::decode::Error> {
        T::deserialize_in_place(&mut rmp_serde::Deserializer::from_read_ref(input), value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<RmpSerdeNamed>::new(About {
        codec: "rust/rmp-serde-named",
        format: "MessagePack",
        library: Some("rmp-serde"),
        api: "serde",
        validation: true,
        self_describing: true,
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner))
        .any(&["ext"])
        .run()
}
