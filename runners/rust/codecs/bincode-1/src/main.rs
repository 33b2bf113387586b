//! The first version of bincode, through serde: `serialize_into` and `deserialize`; into an existing value by serde's
//! `deserialize_in_place`, with the options that `deserialize` has.

use std::process::ExitCode;

use bincode::Options;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct Bincode1;

impl Codec for Bincode1 {
    type Buffer = Vec<u8>;
    type EncodeError = bincode::Error;
    type DecodeError = bincode::Error;
}

impl<T: Serialize> Encode<T> for Bincode1 {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), bincode::Error> {
        bincode::serialize_into(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Bincode1 {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, bincode::Error> {
        bincode::deserialize(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for Bincode1 {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), bincode::Error> {
        let options = bincode::DefaultOptions::new()
            .with_fixint_encoding()
            .allow_trailing_bytes();
        let mut decoder = bincode::Deserializer::from_slice(input, options);
        T::deserialize_in_place(&mut decoder, value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Bincode1>::new(About {
        codec: "rust/bincode-1",
        format: "bincode 1",
        library: Some("bincode@1"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner)).run()
}
