//! serde_json's best: `from_str`, after one check of the whole message for UTF-8 instead of one for
//! each string.

use std::error::Error;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct SerdeJson;

impl Codec for SerdeJson {
    type Buffer = Vec<u8>;
    type EncodeError = serde_json::Error;
    type DecodeError = Box<dyn Error>;
}

impl<T: Serialize> Encode<T> for SerdeJson {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for SerdeJson {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Box<dyn Error>> {
        Ok(serde_json::from_str(str::from_utf8(input)?)?)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeJson>::new(About {
        codec: "rust/serde-json-str",
        format: "JSON",
        library: Some("serde_json"),
        api: "serde",
        validation: true,
        self_describing: true,
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_borrowed(runner).any(&[]).run()
}
