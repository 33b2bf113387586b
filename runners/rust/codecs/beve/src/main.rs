//! beve: `to_vec_into` and `from_slice`, its calls for serde.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Beve;

impl Codec for Beve {
    type Buffer = Vec<u8>;
    type EncodeError = beve::Error;
    type DecodeError = beve::Error;
}

impl<T: Serialize> Encode<T> for Beve {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), beve::Error> {
        beve::to_vec_into(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Beve {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, beve::Error> {
        beve::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Beve>::new(About {
        codec: "rust/beve",
        format: "BEVE",
        library: Some("beve"),
        api: "serde",
        validation: true,
        self_describing: true,
        cannot: &[(
            "option-in-list",
            "a list whose elements are all there is not read as one of elements that may be missing",
        )],
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner)
        .any(&["bytes"])
        .run()
}
