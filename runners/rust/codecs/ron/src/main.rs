//! ron: `to_writer` into a text, and `from_bytes`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Ron;

impl Codec for Ron {
    type Buffer = String;
    type EncodeError = ron::Error;
    type DecodeError = ron::de::SpannedError;
}

impl<T: Serialize> Encode<T> for Ron {
    fn encode(&mut self, value: &T, buffer: &mut String) -> Result<(), ron::Error> {
        ron::ser::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Ron {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, ron::de::SpannedError> {
        ron::de::from_bytes(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Ron>::new(About {
        codec: "rust/ron",
        format: "RON",
        library: Some("ron"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).any(&[]).run()
}
