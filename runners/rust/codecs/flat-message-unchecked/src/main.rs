//! FlatMessage as published without validation: `deserialize_from_unchecked`.

wirelab_flat_message::arrays!();
wirelab_flat_message::messages!();

use std::process::ExitCode;

use flat_message::{Config, Error, FlatMessage, FlatMessageOwned};
use messages::{EnumFields, LargeVectors, LongStrings, Point, ProcessCreated};
use wirelab_flat_message::Aligned;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Unchecked;

impl Codec for Unchecked {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: FlatMessageOwned> Encode<T> for Unchecked {
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        value.serialize_to(&mut buffer.0, Config::default())
    }
}

impl<'a, T: FlatMessage<'a>> Decode<'a, T> for Unchecked {
    fn decode(&mut self, input: &'a Aligned) -> Result<T, Error> {
        // SAFETY: `input` comes from `serialize_to` of the same type, or has passed `validate`.
        unsafe { T::deserialize_from_unchecked(&input.0) }
    }

    fn validate(&mut self, input: &'a Aligned) -> Result<(), Error> {
        T::deserialize_from(&input.0).map(drop)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/flat-message-unchecked",
        format: "FlatMessage",
        library: Some("flat_message"),
        api: "derive",
        validation: false,
        self_describing: true,
    };
    arrays::serve(Runner::<Unchecked>::new(about).identical("serialize", "rust/flat-message"))
        .message::<ProcessCreated>()
        .borrowed::<ProcessCreated>()
        .message::<Point>()
        .message::<LongStrings>()
        .borrowed::<LongStrings>()
        .message::<LargeVectors>()
        .borrowed::<LargeVectors>()
        .message::<EnumFields>()
        .run()
}
