//! What the codecs of FlatMessage share: the messages with its derives.

mod arrays;
mod messages;

pub use arrays::serve;
pub use messages::*;
