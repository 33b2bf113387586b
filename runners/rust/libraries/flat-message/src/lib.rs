//! What the codecs of FlatMessage share: the messages with its derives, which each codec compiles as its own, and the
//! aligned storage that FlatMessage reads and writes.
//!
//! The derives generate functions that are neither generic nor `#[inline]`, which rustc does not inline across crates:
//! with messages of this crate a codec would write the fields of enums in 58 instructions, with its own in 53. So the
//! messages are macros that expand to a module of the codec.

mod arrays;
mod messages;
pub mod threes;

use flat_message::Storage;
use wirelab_kit::{Buffer, Input};

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
