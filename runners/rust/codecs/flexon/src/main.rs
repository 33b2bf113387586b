//! flexon: `to_writer` and `from_slice`.

use std::process::ExitCode;

use flexon::serde::{de, ser};
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Flexon;

impl Codec for Flexon {
    type Buffer = Vec<u8>;
    type EncodeError = ser::Error;
    type DecodeError = de::Error;
}

impl<T: Serialize> Encode<T> for Flexon {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), ser::Error> {
        flexon::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Flexon {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, de::Error> {
        flexon::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Flexon>::new(About {
        codec: "rust/flexon",
        format: "JSON",
        library: Some("flexon"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).any(&[]).run()
}
