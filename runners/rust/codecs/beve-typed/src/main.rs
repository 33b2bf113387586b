//! beve's calls for arrays of numbers: `write_typed_slice` and `read_typed_slice`.

use std::process::ExitCode;

use beve::BeveTypedSlice;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};
use wirelab_messages::arrays::Array;

#[derive(Default)]
struct Beve;

impl Codec for Beve {
    type Buffer = Vec<u8>;
    type EncodeError = beve::Error;
    type DecodeError = beve::Error;
}

impl<T: BeveTypedSlice> Encode<Array<T>> for Beve {
    fn encode(&mut self, value: &Array<T>, buffer: &mut Vec<u8>) -> Result<(), beve::Error> {
        beve::write_typed_slice(buffer, &value.0);
        Ok(())
    }
}

impl<T: BeveTypedSlice> Decode<'_, Array<T>> for Beve {
    fn decode(&mut self, input: &[u8]) -> Result<Array<T>, beve::Error> {
        beve::read_typed_slice(input).map(Array)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/beve-typed",
        format: "BEVE",
        library: Some("beve"),
        api: "manual",
        validation: true,
        self_describing: true,
    };
    Runner::<Beve>::new(about)
        .message::<Array<f64>>()
        .message::<Array<f32>>()
        .message::<Array<u64>>()
        .message::<Array<u32>>()
        .message::<Array<u16>>()
        .run()
}
