//! prost as published: `encode` and `decode` of structs with its derive.

#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/prost/types.rs"));
}

use std::process::ExitCode;

use prost::{DecodeError, EncodeError, Message};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

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
    let runner = Runner::<Prost>::new(About {
        codec: "rust/prost",
        format: "Protocol Buffers",
        library: Some("prost"),
        api: "derive",
        validation: true,
        instead: wirelab_prost::INSTEAD,
        ..About::default()
    });
    types::serve_rows(types::serve(runner)).run()
}
