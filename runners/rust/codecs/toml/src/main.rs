//! toml as published: `to_string`, copied into the buffer, and `from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Any, Codec, Decode, Encode, Runner};
use wirelab_messages::{InStruct, Root};

#[derive(Default)]
struct Toml;

impl Codec for Toml {
    type Buffer = Vec<u8>;
    type EncodeError = toml::ser::Error;
    type DecodeError = toml::de::Error;
}

impl<T: Serialize + Root> Encode<T> for Toml {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), toml::ser::Error> {
        let text = if T::IS_STRUCT {
            toml::to_string(value)?
        } else {
            toml::to_string(&InStruct { values: value })?
        };
        buffer.extend_from_slice(text.as_bytes());
        Ok(())
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
        codec: "rust/toml",
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
    });
    wirelab_messages::serve_borrowed(runner)
        .any_through(&["datetime"], encode_any, |input| toml::from_slice(input))
        .run()
}
