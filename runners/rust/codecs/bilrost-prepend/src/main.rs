//! bilrost with `prepend`, which writes from the end and so knows each length; into a new buffer `encode_contiguous`.

use std::convert::Infallible;
use std::process::ExitCode;

use bilrost::buf::ReverseBuffer;
use bilrost::{DecodeError, Message};
use wirelab_kit::{About, Buffer, Codec, Decode, Encode, Runner};

wirelab_derives::types!("bilrost");

/// The library has one trait for messages that own what they hold, and another for those that borrow it.
trait Decoded<'a>: Sized {
    fn decoded(input: &'a [u8]) -> Result<Self, DecodeError>;
}

#[derive(Default)]
struct Reverse(ReverseBuffer);

impl Buffer for Reverse {
    type Input = [u8];

    fn clear(&mut self) {
        self.0.clear();
    }

    fn as_input(&self) -> &[u8] {
        self.0.contiguous().unwrap_or_default()
    }
}

#[derive(Default)]
struct BilrostPrepend;

impl Codec for BilrostPrepend {
    type Buffer = Reverse;
    type EncodeError = Infallible;
    type DecodeError = DecodeError;
}

impl<T: Message> Encode<T> for BilrostPrepend {
    fn encode(&mut self, value: &T, buffer: &mut Reverse) -> Result<(), Infallible> {
        if buffer.0.capacity() == 0 {
            buffer.0 = value.encode_contiguous();
            return Ok(());
        }
        value.prepend(&mut buffer.0);
        if buffer.0.contiguous().is_none() {
            // It has grown by a second piece, which it won't again.
            buffer.0 = ReverseBuffer::with_capacity(2 * buffer.0.len());
            value.prepend(&mut buffer.0);
        }
        Ok(())
    }
}

impl<'a, T: Decoded<'a>> Decode<'a, T> for BilrostPrepend {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError> {
        T::decoded(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<BilrostPrepend>::new(About {
        codec: "rust/bilrost-prepend",
        format: "Bilrost",
        library: Some("bilrost"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        instead: &[("list-message", "a message with the list as its only field")],
    });
    types::serve(runner.identical("deserialize", "rust/bilrost")).run()
}
