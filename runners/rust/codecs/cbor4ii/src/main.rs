//! cbor4ii: `to_writer` and `from_slice`, the fastest of its calls for serde.

use std::convert::Infallible;
use std::io;
use std::process::ExitCode;

use cbor4ii::core::utils::SliceReader;
use cbor4ii::serde::{DecodeError, Deserializer, EncodeError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::files::{Framed, Owned};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct Cbor4ii;

impl Codec for Cbor4ii {
    type Buffer = Vec<u8>;
    type EncodeError = EncodeError<io::Error>;
    type DecodeError = DecodeError<Infallible>;
}

impl<T: Serialize> Encode<T> for Cbor4ii {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), EncodeError<io::Error>> {
        cbor4ii::serde::to_writer(buffer, value)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for Cbor4ii {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, DecodeError<Infallible>> {
        cbor4ii::serde::from_slice(input)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for Cbor4ii {
    fn decode_into(&mut self, input: &[u8], value: &mut T) -> Result<(), DecodeError<Infallible>> {
        T::deserialize_in_place(&mut Deserializer::new(SliceReader::new(input)), value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Cbor4ii>::new(About {
        codec: "rust/cbor4ii",
        format: "CBOR",
        library: Some("cbor4ii"),
        api: "serde",
        validation: true,
        self_describing: true,
        ..About::default()
    });
    let runner = wirelab_messages::serve_borrowed(runner);
    let runner = wirelab_messages::serve_existing(runner);
    wirelab_messages::serve_files::<Framed<Owned<Cbor4ii>>, _>(runner)
        .any(&[])
        .run()
}
