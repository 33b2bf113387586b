//! What the codecs of FlatMessage share: lists of lists, what FlatMessage cannot take, and the aligned storage that it reads
//! and writes.
//!
//! The derives generate functions that are neither generic nor `#[inline]`, which rustc does not inline across crates:
//! with messages of this crate a codec would write the fields of enums in 58 instructions, with its own in 53. So each
//! codec includes the generated messages in a module of its own.
//!
//! FlatMessage 0.2.2 has no way to visit a message field by field. What would read one field by its name,
//! `FlatMessageBuffer::get`, is a file of the crate that its lib.rs leaves out, and `StructureInformation` tells of the
//! header alone. So `access` goes the documented way without copies: the borrowed form is deserialized, whose texts and
//! lists stay in the bytes, and its fields are read. Nothing changes a field in place, so there is no `update`.

pub mod groups;

use flat_message::Storage;
use wirelab_kit::{Buffer, Input, Limit};

/// What a type may not have.
pub const CANNOT: &[Limit] = &[
    ("map", "FlatMessage has no maps"),
    (
        "option-in-list",
        "FlatMessage has lists of scalars and strings alone",
    ),
    (
        "struct-list",
        "FlatMessage has lists of scalars and strings alone",
    ),
    ("tuple", "FlatMessage has no tuples"),
];

/// What a type may have in another shape.
pub const INSTEAD: &[Limit] = &[
    ("list-message", "a struct with the list as its only field"),
    (
        "nested-list",
        "one list of all elements, and one of the lengths where inner lists have several",
    ),
];

/// FlatMessage's aligned bytes, at both ends of the wire.
#[derive(Default)]
pub struct Aligned(pub Storage);

impl Buffer for Aligned {
    type Input = Self;

    #[inline]
    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    fn as_input(&self) -> &Self {
        self
    }
}

impl Input for Aligned {
    type Stored = Self;

    fn store(bytes: &[u8]) -> Self {
        Self(Storage::from_buffer(bytes))
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}
