//! rust-protobuf: `write_to_vec` and `parse_from_bytes` of the messages that it generates.

use std::process::ExitCode;

use protobuf::{Error, Message};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct RustProtobuf;

impl Codec for RustProtobuf {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: Message> Encode<T> for RustProtobuf {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        value.write_to_vec(buffer)
    }
}

impl<T: Message> Decode<'_, T> for RustProtobuf {
    fn decode(&mut self, input: &[u8]) -> Result<T, Error> {
        T::parse_from_bytes(input)
    }
}

impl<T: Message> DecodeInto<T> for RustProtobuf {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), Error> {
        value.clear();
        value.merge_from_bytes(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<RustProtobuf>::new(About {
        codec: "rust/protobuf",
        format: "Protocol Buffers",
        library: Some("protobuf"),
        api: "generated",
        validation: true,
        instead: wirelab_protobuf::INSTEAD,
        ..About::default()
    });
    wirelab_protobuf::serve(runner).run()
}
