//! The messages that buffa generates of types.proto, and their conversion from and into plain types.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
pub mod messages {
    buffa::include_proto!("wirelab.types");
}
#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/buffa/types.rs"));
}

pub use types::serve;
pub use wirelab_proto::INSTEAD;
