//! FlatMessage as published without validation: `deserialize_from_unchecked`.

#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(
        env!("WIRELAB_TYPES"),
        "/rust/flat-message/types.rs"
    ));
}

use std::process::ExitCode;

use flat_message::{Config, Error, FlatMessage, FlatMessageOwned};
use wirelab_flat_message::{Aligned, CANNOT, INSTEAD};
use wirelab_kit::{About, Access, Borrowable, Codec, Decode, Encode, Fields, Runner};

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

impl<T: Borrowable> Access<T> for Unchecked
where
    for<'a> T::Borrowed<'a>: FlatMessage<'a> + Fields,
{
    type Root<'a> = T::Borrowed<'a>;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<T::Borrowed<'a>, Error> {
        // SAFETY: as above.
        unsafe { T::Borrowed::deserialize_from_unchecked(&input.0) }
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Unchecked>::new(About {
        codec: "rust/flat-message-unchecked",
        format: "FlatMessage",
        library: Some("flat_message"),
        api: "derive",
        validation: false,
        self_describing: true,
        cannot: CANNOT,
        instead: INSTEAD,
    })
    .identical("serialize", "rust/flat-message");
    types::serve(runner).run()
}
