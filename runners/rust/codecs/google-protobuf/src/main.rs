//! Google's own Protocol Buffers of Rust, over upb: `serialize` into a new buffer, and `parse`.

use std::process::ExitCode;

use google_protobuf::{Message, ParseError, SerializeError};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct GoogleProtobuf;

impl Codec for GoogleProtobuf {
    type Buffer = Vec<u8>;
    type EncodeError = SerializeError;
    type DecodeError = ParseError;
}

impl<T: Message> Encode<T> for GoogleProtobuf {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), SerializeError> {
        *buffer = value.serialize()?;
        Ok(())
    }
}

impl<T: Message> Decode<'_, T> for GoogleProtobuf {
    fn decode(&mut self, input: &[u8]) -> Result<T, ParseError> {
        T::parse(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<GoogleProtobuf>::new(About {
        codec: "rust/google-protobuf",
        format: "Protocol Buffers",
        library: Some("google-protobuf"),
        api: "generated",
        validation: true,
        cannot: wirelab_google_protobuf::CANNOT,
        instead: wirelab_google_protobuf::INSTEAD,
        ..About::default()
    })
    .allocating_in_c();
    wirelab_google_protobuf::serve(runner).run()
}
