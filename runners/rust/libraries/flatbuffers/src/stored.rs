//! What the generated conversion between plain types and tables stands on.

use std::hint::black_box;

use flatbuffers::{FlatBufferBuilder, Follow, Vector, Verifiable, WIPOffset};
use wirelab_kit::files::Failure;
use wirelab_kit::{Look, Looked, Octets};

/// The builder of a message.
pub type Builder = FlatBufferBuilder<'static>;

/// A table that stands for a plain type.
pub trait Stored: Sized {
    type Plain;
    type Built;

    fn build(plain: &Self::Plain, builder: &mut Builder) -> WIPOffset<Self::Built>;

    /// Reads every field in place.
    fn look(self, eye: &mut impl Eye);

    fn read(self) -> Result<Self::Plain, Failure>;
}

/// A FlatBuffers struct, which stands where it is used and for a plain type of numbers.
pub trait Inline: Sized {
    type Plain;

    fn pack(plain: &Self::Plain) -> Self;

    /// Reads every field in place.
    fn look(&self, eye: &mut impl Eye);

    fn read(&self) -> Self::Plain;
}

/// A message that is stored in tables.
pub trait Rooted: Sized + 'static {
    type Root<'a>: Follow<'a, Inner = Self::Root<'a>> + Verifiable + Copy;

    fn build(&self, builder: &mut Builder) -> WIPOffset<Self::Root<'static>>;

    /// Reads every field in place.
    fn look(root: Self::Root<'_>, eye: &mut impl Eye);

    /// Reads the fields that a scenario names.
    fn look_at_named(root: Self::Root<'_>, eye: &mut impl Eye);

    /// Whether the row matches the scenario's filter; without one, none does.
    fn matches(root: &Self::Root<'_>) -> bool;

    fn read(root: Self::Root<'_>) -> Result<Self, Failure>;
}

/// What looks at fields in place.
pub trait Eye {
    fn number<T: Copy + Look>(&mut self, number: T);
    fn text(&mut self, text: &str);
    fn bytes(&mut self, bytes: &[u8]);
    /// The bytes of an integer of 128 bits.
    fn wide(&mut self, bytes: &[u8]);
    /// The length of a list, or whether an option has a value.
    fn length(&mut self, length: usize);
}

/// Has each field read, and does nothing with it.
pub struct Touch;

impl Eye for Touch {
    #[inline]
    fn number<T: Copy + Look>(&mut self, number: T) {
        black_box(number);
    }

    #[inline]
    fn text(&mut self, text: &str) {
        black_box(text);
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }

    #[inline]
    fn wide(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }

    #[inline]
    fn length(&mut self, _: usize) {}
}

impl Eye for Looked {
    #[inline]
    fn number<T: Copy + Look>(&mut self, number: T) {
        self.at(&number);
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.at(text);
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.at(&Octets(bytes));
    }

    #[inline]
    fn wide(&mut self, bytes: &[u8]) {
        // Bytes of another length, from outside, are no number.
        self.at(&bytes.try_into().map_or(0, u128::from_le_bytes));
    }

    #[inline]
    fn length(&mut self, length: usize) {
        self.add(length as u64);
    }
}

/// The bytes of an array.
pub fn octets<const N: usize>(bytes: Vector<'_, u8>) -> Result<[u8; N], Failure> {
    let length = bytes.len();
    bytes
        .bytes()
        .try_into()
        .map_err(|_| format!("{length} bytes instead of {N}").into())
}

/// The elements of an array.
pub fn exactly<T, const N: usize>(items: Vec<T>) -> Result<[T; N], Failure> {
    let length = items.len();
    items
        .try_into()
        .map_err(|_| format!("{length} elements instead of {N}").into())
}
