//! bilrost: its derive, `encode`, `decode` and `decode_borrowed`.

use std::process::ExitCode;

use bilrost::{DecodeError, EncodeError, Message};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("bilrost");

/// The library has one trait for messages that own what they hold, and another for those that borrow it.
trait Decoded<'a>: Sized {
    fn decoded(input: &'a [u8]) -> Result<Self, DecodeError>;
}

#[derive(Default)]
struct Bilrost;

impl Codec for Bilrost {
    type Buffer = Vec<u8>;
    type EncodeError = EncodeError;
    type DecodeError = DecodeError;
}

impl<T: Message> Encode<T> for Bilrost {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        value.encode(buffer)
    }
}

impl<'a, T: Decoded<'a>> Decode<'a, T> for Bilrost {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError> {
        T::decoded(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Bilrost>::new(About {
        codec: "rust/bilrost",
        format: "Bilrost",
        library: Some("bilrost"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        instead: &[("list-message", "a message with the list as its only field")],
    });
    types::serve(runner).run()
}
