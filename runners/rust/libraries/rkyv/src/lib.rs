//! What the codecs of rkyv share: the aligned bytes that it writes, and reads in place.

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
