//! nanoserde's binary format: `ser_bin` into a buffer that is kept, and `deserialize_bin`.

use std::convert::Infallible;
use std::process::ExitCode;

use nanoserde::{DeBin, DeBinErr, SerBin};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("nanoserde");

#[derive(Default)]
struct NanoserdeReused;

impl Codec for NanoserdeReused {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = DeBinErr;
}

impl<T: SerBin> Encode<T> for NanoserdeReused {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Infallible> {
        value.ser_bin(buffer);
        Ok(())
    }
}

impl<T: DeBin> Decode<'_, T> for NanoserdeReused {
    fn decode(&mut self, input: &[u8]) -> Result<T, DeBinErr> {
        T::deserialize_bin(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<NanoserdeReused>::new(About {
        codec: "rust/nanoserde-reused",
        format: "nanoserde binary",
        library: Some("nanoserde"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner.identical("deserialize", "rust/nanoserde")).run()
}
