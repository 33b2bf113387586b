//! The messages that protoc generates of types.proto, and their conversion from and into plain types.

// The generated code calls the library by the name that it had up to version 4.36.
extern crate google_protobuf as protobuf;

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
pub mod messages {
    include!(concat!(
        env!("WIRELAB_TYPES"),
        "/rust/google-protobuf/generated.rs"
    ));
}
#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(
        env!("WIRELAB_TYPES"),
        "/rust/google-protobuf/types.rs"
    ));
}

use std::collections::BTreeMap;

use google_protobuf::{MapValue, MapView, ProtoString, View};
use wirelab_kit::Limit;
use wirelab_kit::files::Failure;

pub use types::serve;
pub use wirelab_proto::INSTEAD;

/// What a message may not have.
pub const CANNOT: &[Limit] = &[(
    "map",
    "entries are written in an order that differs from process to process",
)];

/// Each entry of a map, with its value converted.
fn entries<'a, T: MapValue, U>(
    map: MapView<'a, ProtoString, T>,
    mut convert: impl FnMut(View<'a, T>) -> Result<U, Failure>,
) -> Result<BTreeMap<String, U>, Failure> {
    map.iter()
        .map(|(key, item)| Ok((key.to_str()?.to_owned(), convert(item)?)))
        .collect()
}
