//! Musli's storage format: its derives, which number fields, `encode` and `from_slice`.

use std::process::ExitCode;

use musli::mode::Binary;
use musli::storage::Error;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("musli");

#[derive(Default)]
struct MusliStorage;

impl Codec for MusliStorage {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: musli::Encode<Binary>> Encode<T> for MusliStorage {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        musli::storage::encode(buffer, value)
    }
}

impl<'a, T: musli::Decode<'a, Binary, musli::alloc::Global>> Decode<'a, T> for MusliStorage {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        musli::storage::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<MusliStorage>::new(About {
        codec: "rust/musli-storage",
        format: "Musli storage",
        library: Some("musli"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
