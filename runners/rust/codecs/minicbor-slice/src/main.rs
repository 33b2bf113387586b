//! minicbor: its derives, which number fields, an encoder of preallocated memory, and `decode`.

use std::process::ExitCode;

use minicbor::encode::write::EndOfSlice;
use minicbor::{Encoder, decode, encode};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

wirelab_derives::types!("minicbor");

#[derive(Default)]
struct Minicbor;

impl Codec for Minicbor {
    type Buffer = Preallocated;
    type EncodeError = encode::Error<EndOfSlice>;
    type DecodeError = decode::Error;
}

impl<T: minicbor::Encode<()>> Encode<T> for Minicbor {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), Self::EncodeError> {
        buffer.fill(
            |memory| {
                let length = memory.len();
                let mut encoder = Encoder::new(memory);
                encoder.encode(value)?;
                Ok(length - encoder.into_writer().len())
            },
            Self::EncodeError::is_write,
        )
    }
}

impl<'a, T: minicbor::Decode<'a, ()>> Decode<'a, T> for Minicbor {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, decode::Error> {
        minicbor::decode(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Minicbor>::new(About {
        codec: "rust/minicbor-slice",
        format: "CBOR",
        library: Some("minicbor"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/minicbor");
    types::serve(runner).run()
}
