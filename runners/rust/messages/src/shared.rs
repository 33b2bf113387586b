//! What the messages of a set have in common, for codecs that take any of them.

use serde::{Deserialize, Serialize};
use wirelab_kit::{Look, Message};

use crate::data_size::DataSize;

/// A message type of the set that is encoded by itself, or a row of files.
pub trait Shared: Message + DataSize + Look + Clone {}

/// Something that is built from the message types, one after another.
pub trait Visit: Sized {
    fn visit<T: Shared>(self) -> Self;
}

/// How a message or its borrowed form stands at the root of a format.
pub trait Root {
    /// Whether it is a struct, as some formats demand; see [`InStruct`].
    const IS_STRUCT: bool;
}

/// A message for formats whose roots are structs: the only field of one.
#[derive(Serialize, Deserialize)]
pub struct InStruct<T> {
    pub values: T,
}

/// A message that is a list of numbers.
pub trait Numbers: From<Vec<Self::Number>> + AsRef<[Self::Number]> {
    type Number: 'static;
}
