//! FlatMessage as published: `serialize_to` and `deserialize_from`.

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

impl<T: Borrowable> Access<T> for Flat
where
    for<'a> T::Borrowed<'a>: FlatMessage<'a> + Fields,
{
    type Root<'a> = T::Borrowed<'a>;

    fn root<'a>(&mut self, input: &'a Aligned) -> Result<T::Borrowed<'a>, Error> {
        T::Borrowed::deserialize_from(&input.0)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Flat>::new(About {
        codec: "rust/flat-message",
        format: "FlatMessage",
        library: Some("flat_message"),
        api: "derive",
        validation: true,
        self_describing: true,
        cannot: CANNOT,
        instead: INSTEAD,
    });
    types::serve(runner).run()
}
