//! ciborium: `into_writer` into preallocated memory, and `from_reader`. It has no borrowed output.

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct Ciborium;

impl Codec for Ciborium {
    type Buffer = Preallocated;
    type EncodeError = ciborium::ser::Error<io::Error>;
    type DecodeError = ciborium::de::Error<io::Error>;
}

impl<T: Serialize> Encode<T> for Ciborium {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Preallocated,
    ) -> Result<(), ciborium::ser::Error<io::Error>> {
        buffer.advance(
            |rest| ciborium::into_writer(value, rest),
            |error| matches!(error, ciborium::ser::Error::Io(_)),
        )
    }
}

impl<T: DeserializeOwned> Decode<'_, T> for Ciborium {
    fn decode(&mut self, input: &[u8]) -> Result<T, ciborium::de::Error<io::Error>> {
        ciborium::from_reader(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Ciborium>::new(About {
        codec: "rust/ciborium-slice",
        format: "CBOR",
        library: Some("ciborium"),
        api: "serde",
        validation: true,
        self_describing: true,
        ..About::default()
    })
    .identical("deserialize", "rust/ciborium");
    wirelab_messages::serve(runner).any(&["tag"]).run()
}
