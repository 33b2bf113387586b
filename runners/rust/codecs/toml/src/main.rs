//! toml as published: `to_string`, copied into the buffer, and `from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Toml;

impl Codec for Toml {
    type Buffer = Vec<u8>;
    type EncodeError = toml::ser::Error;
    type DecodeError = toml::de::Error;
}

impl<T: Serialize> Encode<T> for Toml {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), toml::ser::Error> {
        buffer.extend_from_slice(toml::to_string(value)?.as_bytes());
        Ok(())
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Toml {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, toml::de::Error> {
        toml::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Toml>::new(About {
        codec: "rust/toml",
        format: "TOML",
        library: Some("toml"),
        api: "serde",
        validation: true,
        self_describing: true,
    });
    wirelab_messages::serve_borrowed(runner).run()
}
