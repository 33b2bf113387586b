//! nanoserde's binary format: `serialize_bin`, a new buffer for each message, and `deserialize_bin`.

use std::convert::Infallible;
use std::process::ExitCode;

use nanoserde::{DeBin, DeBinErr, SerBin};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("nanoserde");

#[derive(Default)]
struct Nanoserde;

impl Codec for Nanoserde {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = DeBinErr;
}

impl<T: SerBin> Encode<T> for Nanoserde {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Infallible> {
        *buffer = value.serialize_bin();
        Ok(())
    }
}

impl<T: DeBin> Decode<'_, T> for Nanoserde {
    fn decode(&mut self, input: &[u8]) -> Result<T, DeBinErr> {
        T::deserialize_bin(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Nanoserde>::new(About {
        codec: "rust/nanoserde",
        format: "nanoserde binary",
        library: Some("nanoserde"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
