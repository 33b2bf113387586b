//! flexbuffers as published: `to_vec`, a new buffer for each message, and `from_slice`.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct FlexBuffers;

impl Codec for FlexBuffers {
    type Buffer = Vec<u8>;
    type EncodeError = flexbuffers::SerializationError;
    type DecodeError = flexbuffers::DeserializationError;
}

impl<T: Serialize> Encode<T> for FlexBuffers {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Vec<u8>,
    ) -> Result<(), flexbuffers::SerializationError> {
        *buffer = flexbuffers::to_vec(value)?;
        Ok(())
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for FlexBuffers {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, flexbuffers::DeserializationError> {
        flexbuffers::from_slice(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for FlexBuffers {
    fn decode_into(
        &mut self,
        input: &[u8],
        value: &mut T,
    ) -> Result<(), flexbuffers::DeserializationError> {
        T::deserialize_in_place(flexbuffers::Reader::get_root(input)?, value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<FlexBuffers>::new(About {
        codec: "rust/flexbuffers",
        format: "FlexBuffers",
        library: Some("flexbuffers"),
        api: "serde",
        validation: true,
        self_describing: true,
        cannot: &[(
            "u128",
            "the serializer refuses integers of 128 bits, small ones too",
        )],
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner))
        .any(&[])
        .run()
}
