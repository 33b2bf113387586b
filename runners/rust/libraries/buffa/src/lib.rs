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

/// A message, or a view of one. The library has a trait for each.
pub trait Decoded<'a>: Sized {
    /// Decodes it.
    ///
    /// # Errors
    ///
    /// Where the bytes are none of its.
    fn decoded(input: &'a [u8]) -> Result<Self, buffa::DecodeError>;
}

pub use types::serve;
pub use wirelab_proto::INSTEAD;
