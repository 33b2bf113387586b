//! bin-proto: its derives, `encode_bytes_buf` into preallocated memory, and `decode_bytes`, little-endian.

use std::io::ErrorKind;
use std::process::ExitCode;

use bin_proto::{BitCodec, Error, LittleEndian};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

wirelab_derives::types!("bin-proto");

#[derive(Default)]
struct BinProto;

impl Codec for BinProto {
    type Buffer = Preallocated;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: BitCodec> Encode<T> for BinProto {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), Error> {
        buffer.fill(
            |memory| Ok(value.encode_bytes_buf(LittleEndian, memory)?.try_into()?),
            |error| matches!(error, Error::Io(error) if error.kind() == ErrorKind::WriteZero),
        )
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
        codec: "rust/bin-proto-slice",
        format: "bin-proto",
        library: Some("bin-proto"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/bin-proto");
    types::serve(runner).run()
}
