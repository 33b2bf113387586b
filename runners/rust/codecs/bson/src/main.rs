//! bson as published: `serialize_to_buffer` and `deserialize_from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};
use wirelab_messages::arrays::{InStruct, NestedObject};

#[derive(Default)]
struct Bson;

impl Codec for Bson {
    type Buffer = Vec<u8>;
    type EncodeError = bson::error::Error;
    type DecodeError = bson::error::Error;
}

impl<T: Serialize> Encode<T> for Bson {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), bson::error::Error> {
        bson::serialize_to_buffer(value, buffer)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Bson {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, bson::error::Error> {
        bson::deserialize_from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Bson>::new(About {
        codec: "rust/bson",
        format: "BSON",
        library: Some("bson"),
        api: "serde",
        validation: true,
        self_describing: true,
    });
    // A root is a document, and there is no u64.
    wirelab_messages::serve_borrowed(runner)
        .message::<NestedObject>()
        .message::<InStruct<f64>>()
        .message::<InStruct<f32>>()
        .message::<InStruct<u32>>()
        .message::<InStruct<u16>>()
        .run()
}
