//! bincode with the format of its first version: its own derives and `config::legacy()`.

use std::process::ExitCode;

use bincode::BorrowDecode;
use bincode::config;
use bincode::error::{DecodeError, EncodeError};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct BincodeLegacy;

impl Codec for BincodeLegacy {
    type Buffer = Vec<u8>;
    type EncodeError = EncodeError;
    type DecodeError = DecodeError;
}

impl<T: bincode::Encode> Encode<T> for BincodeLegacy {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        bincode::encode_into_std_write(value, buffer, config::legacy()).map(drop)
    }
}

impl<'a, T: BorrowDecode<'a, ()>> Decode<'a, T> for BincodeLegacy {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError> {
        bincode::borrow_decode_from_slice(input, config::legacy()).map(|(value, _)| value)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/bincode-legacy",
        format: "bincode 1",
        library: Some("bincode@2"),
        api: "derive",
        validation: true,
        self_describing: false,
        ..About::default()
    };
    wirelab_bincode::serve_borrowed(Runner::<BincodeLegacy>::new(about)).run()
}
