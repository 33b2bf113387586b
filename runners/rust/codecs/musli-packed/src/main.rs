//! Musli's packed format: its derives with `#[musli(packed)]`, `encode` and `from_slice`.

use std::process::ExitCode;

use musli::mode::Binary;
use musli::packed::Error;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("musli-packed");

#[derive(Default)]
struct MusliPacked;

impl Codec for MusliPacked {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: musli::Encode<Binary>> Encode<T> for MusliPacked {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        musli::packed::encode(buffer, value)
    }
}

impl<'a, T: musli::Decode<'a, Binary, musli::alloc::Global>> Decode<'a, T> for MusliPacked {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        musli::packed::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<MusliPacked>::new(About {
        codec: "rust/musli-packed",
        format: "Musli packed",
        library: Some("musli"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
