//! postcard as published: `to_io` and `from_bytes`.

use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::files::{Framed, Owned};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct Postcard;

impl Codec for Postcard {
    type Buffer = Vec<u8>;
    type EncodeError = postcard::Error;
    type DecodeError = postcard::Error;
}

impl<T: Serialize> Encode<T> for Postcard {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), postcard::Error> {
        postcard::to_io(value, buffer).map(drop)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Postcard {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, postcard::Error> {
        postcard::from_bytes(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for Postcard {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), postcard::Error> {
        T::deserialize_in_place(&mut postcard::Deserializer::from_bytes(input), value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Postcard>::new(About {
        codec: "rust/postcard",
        format: "postcard",
        library: Some("postcard"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    let runner = wirelab_messages::serve_borrowed(runner);
    let runner = wirelab_messages::serve_existing(runner);
    wirelab_messages::serve_files::<Framed<Owned<Postcard>>, _>(runner).run()
}
