//! ron: `to_writer` into a text, and `from_bytes`.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

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

impl<T: DeserializeOwned> DecodeInto<T> for Ron {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), ron::de::SpannedError> {
        let mut reader = ron::Deserializer::from_bytes(input)?;
        T::deserialize_in_place(&mut reader, value).map_err(|error| reader.span_error(error))?;
        reader.end().map_err(|error| reader.span_error(error))
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
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner))
        .any(&[])
        .run()
}
