//! prost as published: `encode` and `decode` of structs with its derive.

mod arrays;

use std::process::ExitCode;

use prost::{DecodeError, EncodeError, Message};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};
use wirelab_prost::logs;
use wirelab_prost::messages::{LargeVectors, LongStrings, Point, ProcessCreated};

#[derive(Default)]
struct Prost;

impl Codec for Prost {
    type Buffer = Vec<u8>;
    type EncodeError = EncodeError;
    type DecodeError = DecodeError;
}

impl<T: Message> Encode<T> for Prost {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        value.encode(buffer)
    }
}

impl<T: Message + Default> Decode<'_, T> for Prost {
    fn decode(&mut self, input: &[u8]) -> Result<T, DecodeError> {
        T::decode(input)
    }
}

impl<T: Message> DecodeInto<T> for Prost {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), DecodeError> {
        value.clear();
        value.merge(input)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/prost",
        format: "Protocol Buffers",
        library: Some("prost"),
        api: "derive",
        validation: true,
        self_describing: false,
    };
    let runner = Runner::<Prost>::new(about)
        .message::<ProcessCreated>()
        .existing::<ProcessCreated>()
        .message::<Point>()
        .existing::<Point>()
        .message::<LongStrings>()
        .existing::<LongStrings>()
        .message::<LargeVectors>()
        .existing::<LargeVectors>();
    logs::serve(arrays::serve(runner)).run()
}
