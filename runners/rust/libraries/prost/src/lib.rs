//! What the codecs of prost share: rows as messages, and what messages have in the place of what they lack.
//!
//! Each codec includes the generated messages in a module of its own, as users have them in their crate: what rustc inlines
//! differs by crate.

pub mod rows;

pub use wirelab_proto::{INSTEAD, conversion};
