//! beve's calls for arrays of numbers: `write_typed_slice` and `read_typed_slice`.

use std::process::ExitCode;

use beve::BeveTypedSlice;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};
use wirelab_messages::Numbers;

#[derive(Default)]
struct Beve;

impl Codec for Beve {
    type Buffer = Vec<u8>;
    type EncodeError = beve::Error;
    type DecodeError = beve::Error;
}

impl<T: Numbers<Number: BeveTypedSlice>> Encode<T> for Beve {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), beve::Error> {
        beve::write_typed_slice(buffer, value.as_ref());
        Ok(())
    }
}

impl<T: Numbers<Number: BeveTypedSlice>> Decode<'_, T> for Beve {
    fn decode(&mut self, input: &[u8]) -> Result<T, beve::Error> {
        beve::read_typed_slice(input).map(T::from)
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
        cannot: &[("struct", "it writes lists of numbers alone")],
        ..About::default()
    };
    wirelab_messages::serve_numbers(Runner::<Beve>::new(about)).run()
}
