//! bitcode's best: its own derives, and a `Buffer` at each end, which keeps its memory.

use std::convert::Infallible;
use std::process::ExitCode;
use std::ptr::NonNull;

use bitcode::Error;
use wirelab_kit::{About, Buffer, Codec, Decode, Encode, Runner};

wirelab_derives::types!("bitcode");

/// What the library's buffer holds: it is told by `encode` alone.
struct Encoded {
    library: bitcode::Buffer,
    bytes: NonNull<[u8]>,
}

impl Default for Encoded {
    fn default() -> Self {
        Self {
            library: bitcode::Buffer::new(),
            bytes: NonNull::from(&[]),
        }
    }
}

impl Buffer for Encoded {
    type Input = [u8];

    fn clear(&mut self) {
        self.bytes = NonNull::from(&[]);
    }

    fn as_input(&self) -> &[u8] {
        // SAFETY: they are the library's until its buffer encodes again, which replaces them here, too.
        unsafe { self.bytes.as_ref() }
    }
}

#[derive(Default)]
struct BitcodeBuffer(bitcode::Buffer);

impl Codec for BitcodeBuffer {
    type Buffer = Encoded;
    type EncodeError = Infallible;
    type DecodeError = Error;
}

impl<T: bitcode::Encode> Encode<T> for BitcodeBuffer {
    fn encode(&mut self, value: &T, buffer: &mut Encoded) -> Result<(), Infallible> {
        buffer.bytes = NonNull::from(buffer.library.encode(value));
        Ok(())
    }
}

impl<'a, T: bitcode::Decode<'a>> Decode<'a, T> for BitcodeBuffer {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        self.0.decode(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<BitcodeBuffer>::new(About {
        codec: "rust/bitcode-buffer",
        format: "bitcode",
        library: Some("bitcode"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
