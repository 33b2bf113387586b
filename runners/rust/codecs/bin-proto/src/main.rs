//! bin-proto: its derives, `encode_bytes` into a new vector, and `decode_bytes`, little-endian.

use std::process::ExitCode;

use bin_proto::{BitCodec, Error, LittleEndian};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("bin-proto");

#[derive(Default)]
struct BinProto;

impl Codec for BinProto {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: BitCodec> Encode<T> for BinProto {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        *buffer = value.encode_bytes(LittleEndian)?;
        Ok(())
    }
}

impl<T: BitCodec> Decode<'_, T> for BinProto {
    fn decode(&mut self, input: &[u8]) -> Result<T, Error> {
        let (value, _bits) = T::decode_bytes(input, LittleEndian)?;
        Ok(value)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<BinProto>::new(About {
        codec: "rust/bin-proto",
        format: "bin-proto",
        library: Some("bin-proto"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
