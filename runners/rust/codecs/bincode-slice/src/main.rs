//! bincode's best: as published, but `encode_into_slice` into preallocated memory.

use std::process::ExitCode;

use bincode::BorrowDecode;
use bincode::config;
use bincode::error::{DecodeError, EncodeError};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct Bincode;

impl Codec for Bincode {
    type Buffer = Preallocated;
    type EncodeError = EncodeError;
    type DecodeError = DecodeError;
}

impl<T: bincode::Encode> Encode<T> for Bincode {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), EncodeError> {
        buffer.fill(
            |memory| bincode::encode_into_slice(value, memory, config::standard()),
            |error| matches!(error, EncodeError::UnexpectedEnd),
        )
    }
}

impl<'a, T: BorrowDecode<'a, ()>> Decode<'a, T> for Bincode {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError> {
        bincode::borrow_decode_from_slice(input, config::standard()).map(|(value, _)| value)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/bincode-slice",
        format: "bincode",
        library: Some("bincode@2"),
        api: "derive",
        validation: true,
        self_describing: false,
        ..About::default()
    };
    let runner = Runner::<Bincode>::new(about).identical("deserialize", "rust/bincode");
    wirelab_bincode::serve_borrowed(runner).run()
}
