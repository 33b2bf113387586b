//! sonic-rs: `to_writer` and `from_slice`.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct SonicRs;

impl Codec for SonicRs {
    type Buffer = Vec<u8>;
    type EncodeError = sonic_rs::Error;
    type DecodeError = sonic_rs::Error;
}

impl<T: Serialize> Encode<T> for SonicRs {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), sonic_rs::Error> {
        sonic_rs::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SonicRs {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, sonic_rs::Error> {
        sonic_rs::from_slice(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for SonicRs {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), sonic_rs::Error> {
        let mut reader = sonic_rs::Deserializer::from_slice(input);
        T::deserialize_in_place(&mut reader, value)?;
        reader.end()
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SonicRs>::new(About {
        codec: "rust/sonic-rs",
        format: "JSON",
        library: Some("sonic-rs"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner))
        .any(&[])
        .run()
}
