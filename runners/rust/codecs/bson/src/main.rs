//! bson as published: `serialize_to_buffer` and `deserialize_from_slice`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};
use wirelab_messages::{InStruct, Root};

#[derive(Default)]
struct Bson;

impl Codec for Bson {
    type Buffer = Vec<u8>;
    type EncodeError = bson::error::Error;
    type DecodeError = bson::error::Error;
}

impl<T: Serialize + Root> Encode<T> for Bson {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), bson::error::Error> {
        if T::IS_STRUCT {
            bson::serialize_to_buffer(value, buffer)
        } else {
            bson::serialize_to_buffer(&InStruct { values: value }, buffer)
        }
    }
}

impl<'a, T: Deserialize<'a> + Root> Decode<'a, T> for Bson {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, bson::error::Error> {
        if T::IS_STRUCT {
            bson::deserialize_from_slice(input)
        } else {
            bson::deserialize_from_slice(input).map(|root: InStruct<T>| root.values)
        }
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
        cannot: &[
            (
                "u64",
                "BSON's integers have a sign: what does not fit into an i64 is refused",
            ),
            (
                "u128",
                "the serializer refuses integers of 128 bits, small ones too",
            ),
        ],
        instead: &[("list-message", "a document with the list as its only field")],
    });
    wirelab_messages::serve_borrowed(runner)
        .any_through(&[], bson::serialize_to_vec, |input| {
            bson::deserialize_from_slice(input)
        })
        .run()
}
