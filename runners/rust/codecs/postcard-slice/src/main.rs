//! postcard's best: `to_slice` into preallocated memory.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct Postcard;

impl Codec for Postcard {
    type Buffer = Preallocated;
    type EncodeError = postcard::Error;
    type DecodeError = postcard::Error;
}

impl<T: Serialize> Encode<T> for Postcard {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), postcard::Error> {
        buffer.fill(
            |memory| postcard::to_slice(value, memory).map(|bytes| bytes.len()),
            |error| *error == postcard::Error::SerializeBufferFull,
        )
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Postcard {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, postcard::Error> {
        postcard::from_bytes(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Postcard>::new(About {
        codec: "rust/postcard-slice",
        format: "postcard",
        library: Some("postcard"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    })
    .identical("deserialize", "rust/postcard");
    wirelab_messages::serve_borrowed(runner).run()
}
