//! What the codecs of rkyv share: the aligned bytes that it writes, reads in place and changes there.

use rkyv::Serialize;
use rkyv::api::high::{HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error;
use rkyv::seal::Seal;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use wirelab_kit::{Buffer, Input};

/// rkyv's aligned bytes, at both ends of the wire.
#[derive(Default)]
pub struct Aligned(pub AlignedVec);

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
        let mut aligned = AlignedVec::with_capacity(bytes.len());
        aligned.extend_from_slice(bytes);
        Self(aligned)
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// An archived message that has fields which a scenario updates.
pub trait Updated {
    /// Changes these fields where they are.
    fn update(archived: Seal<'_, Self>);
}

/// A value that rkyv writes.
pub trait Written: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Error>> {}

impl<T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Error>>> Written for T {}

/// An archived message whose bytes rkyv checks.
pub trait Checked: for<'a> CheckBytes<HighValidator<'a, Error>> {}

impl<T: for<'a> CheckBytes<HighValidator<'a, Error>>> Checked for T {}
