//! borsh: its derives, `to_writer` and `from_slice`.

use std::io::Error;
use std::process::ExitCode;

use borsh::{BorshDeserialize, BorshSerialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("borsh");

#[derive(Default)]
struct Borsh;

impl Codec for Borsh {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: BorshSerialize> Encode<T> for Borsh {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        borsh::to_writer(buffer, value)
    }
}

impl<T: BorshDeserialize> Decode<'_, T> for Borsh {
    fn decode(&mut self, input: &[u8]) -> Result<T, Error> {
        borsh::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Borsh>::new(About {
        codec: "rust/borsh",
        format: "Borsh",
        library: Some("borsh"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
