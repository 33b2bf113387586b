//! toml's best: a serialization buffer that is reused, from which the text is written to the buffer.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Any, Codec, Decode, Encode, Runner};
use wirelab_messages::{InStruct, Root};

#[derive(Default)]
struct Toml {
    document: toml::ser::Buffer,
}

impl Codec for Toml {
    type Buffer = Vec<u8>;
    type EncodeError = Box<dyn Error>;
    type DecodeError = toml::de::Error;
}

impl<T: Serialize + Root> Encode<T> for Toml {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
        self.document.clear();
        let serializer = toml::Serializer::new(&mut self.document);
        if T::IS_STRUCT {
            value.serialize(serializer)?;
        } else {
            InStruct { values: value }.serialize(serializer)?;
        }
        Ok(write!(buffer, "{}", self.document)?)
    }
}

impl<'a, T: Deserialize<'a> + Root> Decode<'a, T> for Toml {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, toml::de::Error> {
        if T::IS_STRUCT {
            toml::from_slice(input)
        } else {
            toml::from_slice(input).map(|root: InStruct<T>| root.values)
        }
    }
}

fn encode_any(value: &Any) -> Result<Vec<u8>, toml::ser::Error> {
    toml::to_string(value).map(String::into_bytes)
}

fn main() -> ExitCode {
    let runner = Runner::<Toml>::new(About {
        codec: "rust/toml-reused",
        format: "TOML",
        library: Some("toml"),
        api: "serde",
        validation: true,
        self_describing: true,
        cannot: &[(
            "option-in-list",
            "TOML has no null: a missing field is left out, a missing element is refused",
        )],
        instead: &[
            ("list-message", "a table with the list as its only value"),
            ("u128", "decimal text"),
        ],
    })
    .identical("deserialize", "rust/toml");
    wirelab_messages::serve_borrowed(runner)
        .any_through(&["datetime"], encode_any, |input| toml::from_slice(input))
        .run()
}
