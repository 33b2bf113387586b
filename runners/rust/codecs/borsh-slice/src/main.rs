//! borsh: its derives, `serialize` into preallocated memory, and `from_slice`.

use std::io::{Error, ErrorKind};
use std::process::ExitCode;

use borsh::{BorshDeserialize, BorshSerialize};
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

wirelab_derives::types!("borsh");

#[derive(Default)]
struct Borsh;

impl Codec for Borsh {
    type Buffer = Preallocated;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: BorshSerialize> Encode<T> for Borsh {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), Error> {
        buffer.advance(
            |rest| value.serialize(rest),
            |error| error.kind() == ErrorKind::WriteZero,
        )
    }
}

impl<T: BorshDeserialize> Decode<'_, T> for Borsh {
    fn decode(&mut self, input: &[u8]) -> Result<T, Error> {
        borsh::from_slice(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Borsh>::new(About {
        codec: "rust/borsh-slice",
        format: "Borsh",
        library: Some("borsh"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    })
    .identical("deserialize", "rust/borsh");
    types::serve(runner).run()
}
