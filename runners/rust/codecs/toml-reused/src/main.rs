//! toml's best: a serialization buffer that is reused, from which the text is written to the buffer.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Toml {
    document: toml::ser::Buffer,
}

impl Codec for Toml {
    type Buffer = Vec<u8>;
    type EncodeError = Box<dyn Error>;
    type DecodeError = toml::de::Error;
}

impl<T: Serialize> Encode<T> for Toml {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
        self.document.clear();
        value.serialize(toml::Serializer::new(&mut self.document))?;
        Ok(write!(buffer, "{}", self.document)?)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Toml {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, toml::de::Error> {
        toml::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Toml>::new(About {
        codec: "rust/toml-reused",
        format: "TOML",
        library: Some("toml"),
        api: "serde",
        validation: true,
        self_describing: true,
    })
    .identical("deserialize", "rust/toml");
    wirelab_messages::serve_borrowed(runner).run()
}
