//! The messages that rust-protobuf generates of types.proto, and their conversion from and into plain types.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
pub mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages/mod.rs"));
    pub use types::*;
}
#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/protobuf/types.rs"));
}

pub use types::serve;
pub use wirelab_proto::INSTEAD;
