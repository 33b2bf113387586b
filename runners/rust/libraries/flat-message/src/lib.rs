//! What the codecs of FlatMessage share: the messages with its derives.

// Of the functions that its derives write.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

mod arrays;
mod messages;

pub use arrays::serve;
pub use messages::*;
