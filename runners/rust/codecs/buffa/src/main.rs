//! buffa: `encode` and `decode_from_slice` of the messages that it generates, and `decode_view`.

use std::process::ExitCode;

use buffa::{DecodeError, EncodeError, Message};
use wirelab_buffa::Decoded;
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct Buffa;

impl Codec for Buffa {
    type Buffer = Vec<u8>;
    type EncodeError = EncodeError;
    type DecodeError = DecodeError;
}

impl<T: Message> Encode<T> for Buffa {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        value.try_encode(buffer)
    }
}

impl<'a, T: Decoded<'a>> Decode<'a, T> for Buffa {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError> {
        T::decoded(input)
    }
}

impl<T: Message> DecodeInto<T> for Buffa {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), DecodeError> {
        value.clear();
        value.merge_from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Buffa>::new(About {
        codec: "rust/buffa",
        format: "Protocol Buffers",
        library: Some("buffa"),
        api: "generated",
        validation: true,
        instead: wirelab_buffa::INSTEAD,
        ..About::default()
    });
    wirelab_buffa::serve(runner).run()
}
