//! flexbuffers' best: one serializer, which is reset for each message and read in place.

use std::process::ExitCode;

use flexbuffers::FlexbufferSerializer;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Buffer, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Serializer(FlexbufferSerializer);

impl Buffer for Serializer {
    type Input = [u8];

    fn clear(&mut self) {
        self.0.reset();
    }

    fn as_input(&self) -> &[u8] {
        self.0.view()
    }
}

#[derive(Default)]
struct FlexBuffers;

impl Codec for FlexBuffers {
    type Buffer = Serializer;
    type EncodeError = flexbuffers::SerializationError;
    type DecodeError = flexbuffers::DeserializationError;
}

impl<T: Serialize> Encode<T> for FlexBuffers {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Serializer,
    ) -> Result<(), flexbuffers::SerializationError> {
        value.serialize(&mut buffer.0)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for FlexBuffers {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, flexbuffers::DeserializationError> {
        flexbuffers::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<FlexBuffers>::new(About {
        codec: "rust/flexbuffers-reused",
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
    })
    .identical("deserialize", "rust/flexbuffers");
    wirelab_messages::serve_borrowed(runner).any(&[]).run()
}
