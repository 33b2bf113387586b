//! bincode through serde: the same wire format as with its own derives.

use std::process::ExitCode;

use bincode::config;
use bincode::serde::BorrowedSerdeDecoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, DecodeInto, Encode, Runner};

#[derive(Default)]
struct BincodeSerde;

impl Codec for BincodeSerde {
    type Buffer = Vec<u8>;
    type EncodeError = bincode::error::EncodeError;
    type DecodeError = bincode::error::DecodeError;
}

impl<T: Serialize> Encode<T> for BincodeSerde {
    fn encode(
        &mut self,
        value: &T,
        buffer: &mut Vec<u8>,
    ) -> Result<(), bincode::error::EncodeError> {
        bincode::serde::encode_into_std_write(value, buffer, config::standard()).map(drop)
    }
}

impl<'a, T: Deserialize<'a>> Decode<'a, T> for BincodeSerde {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, bincode::error::DecodeError> {
        bincode::serde::borrow_decode_from_slice(input, config::standard()).map(|(value, _)| value)
    }
}

impl<T: DeserializeOwned> DecodeInto<T> for BincodeSerde {
    fn decode_into(
        &mut self,
        input: &[u8],
        value: &mut T,
    ) -> Result<(), bincode::error::DecodeError> {
        let mut decoder = BorrowedSerdeDecoder::from_slice(input, config::standard(), ());
        T::deserialize_in_place(decoder.as_deserializer(), value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<BincodeSerde>::new(About {
        codec: "rust/bincode-serde",
        format: "bincode",
        library: Some("bincode@2"),
        api: "serde",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_messages::serve_existing(wirelab_messages::serve_borrowed(runner)).run()
}
