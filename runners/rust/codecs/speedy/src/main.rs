//! speedy: its derives, `write_to_stream` into a vector, and `read_from_buffer`.

use std::process::ExitCode;

use speedy::{Error, LittleEndian, Readable, Writable};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("speedy");

#[derive(Default)]
struct Speedy;

impl Codec for Speedy {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: Writable<LittleEndian>> Encode<T> for Speedy {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        value.write_to_stream(buffer)
    }
}

impl<'a, T: Readable<'a, LittleEndian>> Decode<'a, T> for Speedy {
    fn decode(&mut self, input: &'a [u8]) -> Result<T, Error> {
        T::read_from_buffer(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Speedy>::new(About {
        codec: "rust/speedy",
        format: "Speedy",
        library: Some("speedy"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
