//! ciborium as published: `into_writer` and `from_reader`. It has no borrowed output.

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Ciborium;

impl Codec for Ciborium {
    type Buffer = Vec<u8>;
    type EncodeError = ciborium::ser::Error<io::Error>;
    type DecodeError = ciborium::de::Error<io::Error>;
}

impl<T: Serialize> Encode<T> for Ciborium {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ciborium::ser::Error<io::Error>> {
        ciborium::into_writer(value, buffer)
    }
}

impl<T: DeserializeOwned> Decode<'_, T> for Ciborium {
    fn decode(&mut self, input: &[u8]) -> Result<T, ciborium::de::Error<io::Error>> {
        ciborium::from_reader(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Ciborium>::new(About {
        codec: "rust/ciborium",
        format: "CBOR",
        library: Some("ciborium"),
        api: "serde",
        validation: true,
        self_describing: true,
        ..About::default()
    });
    wirelab_messages::serve(runner).any(&["tag"]).run()
}
