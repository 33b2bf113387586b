//! FlatMessage as published: `serialize_to` and `deserialize_from`.

wirelab_flat_message::arrays!();
wirelab_flat_message::messages!();

use std::process::ExitCode;

use flat_message::{Config, Error, FlatMessage, FlatMessageOwned};
use messages::{EnumFields, LargeVectors, LongStrings, Point, ProcessCreated};
use wirelab_flat_message::Aligned;
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

#[derive(Default)]
struct Flat;

impl Codec for Flat {
    type Buffer = Aligned;
    type EncodeError = Error;
    type DecodeError = Error;
}

impl<T: FlatMessageOwned> Encode<T> for Flat {
    fn encode(&mut self, value: &T, buffer: &mut Aligned) -> Result<(), Error> {
        value.serialize_to(&mut buffer.0, Config::default())
    }
}

impl<'a, T: FlatMessage<'a>> Decode<'a, T> for Flat {
    fn decode(&mut self, input: &'a Aligned) -> Result<T, Error> {
        T::deserialize_from(&input.0)
    }
}

fn main() -> ExitCode {
    let about = About {
        codec: "rust/flat-message",
        format: "FlatMessage",
        library: Some("flat_message"),
        api: "derive",
        validation: true,
        self_describing: true,
    };
    arrays::serve(Runner::<Flat>::new(about))
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
