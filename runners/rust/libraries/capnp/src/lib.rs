//! Messages with Cap'n Proto, packed or not: read in place, or copied out.

pub mod stored;
#[rustfmt::skip]
#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod types_capnp {
    include!(concat!(env!("OUT_DIR"), "/types_capnp.rs"));
}
#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/capnp/types.rs"));
}

use std::cell::Cell;

use capnp::message::{
    Builder, Reader, ReaderOptions, ReaderSegments, ScratchSpaceHeapAllocator, TypedReader,
};
use capnp::serialize::{BufferSegments, OwnedSegments};
use capnp::traits::Owned;
use capnp::{Error, Word, serialize, serialize_packed};
use wirelab_kit::files::Failure;
use wirelab_kit::{Access, Codec, Decode, Encode, Fields, Limit, Look, Looked};

use stored::Rooted;
pub use types::serve;

/// What Cap'n Proto has in the place of what it lacks.
pub const INSTEAD: &[Limit] = &[
    ("list-message", "a struct around the list"),
    ("map", "a list of structs with key and value"),
    ("option-in-list", "a struct around each element"),
    ("tuple", "a group, or a struct in a list"),
    ("u128", "a group of its two halves"),
];

/// Words of the memory that a message is built in, before it takes more: as published.
const SCRATCH_WORDS: usize = 1_000_000;

thread_local! {
    /// Memory that a dropped encoder leaves to the next, so that a process allocates it once.
    static LEFT: Cell<Option<ScratchSpaceHeapAllocator<'static>>> = const { Cell::new(None) };
}

fn scratch_space() -> ScratchSpaceHeapAllocator<'static> {
    let words = Word::allocate_zeroed_vec(SCRATCH_WORDS).leak();
    ScratchSpaceHeapAllocator::new(Word::words_to_bytes_mut(words))
}

/// Builds message after message in the same memory. One that only decodes takes none.
#[derive(Default)]
struct Scratch(Option<ScratchSpaceHeapAllocator<'static>>);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(space) = self.0.take() {
            LEFT.set(Some(space));
        }
    }
}

impl Scratch {
    /// A message that holds a value.
    fn build<T: Rooted>(&mut self, value: &T) -> Builder<&mut ScratchSpaceHeapAllocator<'static>> {
        let allocator = self
            .0
            .get_or_insert_with(|| LEFT.take().unwrap_or_else(scratch_space));
        let mut message = Builder::new(allocator);
        value.build(message.init_root());
        message
    }
}

/// The library's limits, by default 64 MiB and 64 levels. A message that is larger itself may be read once.
fn limits(largest_bytes: usize) -> ReaderOptions {
    let mut options = ReaderOptions::new();
    let words = options.traversal_limit_in_words;
    options.traversal_limit_in_words(words.max(Some(largest_bytes / size_of::<Word>())));
    options
}

/// Messages as they are in memory.
#[derive(Default)]
pub struct Plain(Scratch);

/// Messages whose zeros are packed.
#[derive(Default)]
pub struct Packed(Scratch);

impl Codec for Plain {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Failure;
}

impl<T: Rooted> Encode<T> for Plain {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        serialize::write_message(buffer, &self.0.build(value))
    }
}

impl<T: Rooted> Decode<'_, T> for Plain {
    fn decode(&mut self, mut input: &[u8]) -> Result<T, Failure> {
        let limits = limits(input.len());
        let message = serialize::read_message_from_flat_slice(&mut input, limits)?;
        T::read(message.get_root()?)
    }
}

impl<T: Rooted> Access<T> for Plain {
    type Root<'a> = Seen<BufferSegments<&'a [u8]>, T>;

    fn root<'a>(&mut self, mut input: &'a [u8]) -> Result<Self::Root<'a>, Failure> {
        let limits = limits(input.len());
        Seen::of(serialize::read_message_from_flat_slice(&mut input, limits)?)
    }
}

impl Codec for Packed {
    type Buffer = Vec<u8>;
    type EncodeError = Error;
    type DecodeError = Failure;
}

impl<T: Rooted> Encode<T> for Packed {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), Error> {
        serialize_packed::write_message(buffer, &self.0.build(value))
    }
}

impl<T: Rooted> Decode<'_, T> for Packed {
    fn decode(&mut self, input: &[u8]) -> Result<T, Failure> {
        T::read(unpacked(input)?.get_root()?)
    }
}

impl<T: Rooted> Access<T> for Packed {
    type Root<'a> = Seen<OwnedSegments, T>;

    fn root<'a>(&mut self, input: &'a [u8]) -> Result<Self::Root<'a>, Failure> {
        Seen::of(unpacked(input)?)
    }
}

/// A packed message, in memory of its own.
fn unpacked(input: &[u8]) -> Result<Reader<OwnedSegments>, Error> {
    // Packing takes eight bytes out of one at most, but for runs of zeros.
    let limits = limits(size_of::<Word>() * input.len());
    serialize_packed::read_message(input, limits)
}

/// A message whose fields are read in place. What a pointer leads to is checked when it is read.
pub struct Seen<S: ReaderSegments, T: Rooted>(TypedReader<S, T::Root>);

impl<S: ReaderSegments, T: Rooted> Seen<S, T> {
    /// A message whose root is a struct.
    fn of(message: Reader<S>) -> Result<Self, Failure> {
        message.get_root::<<T::Root as Owned>::Reader<'_>>()?;
        Ok(Self(message.into_typed()))
    }

    /// Has fields looked at; where the message is malformed, the digest is that of no message.
    #[inline]
    fn read(
        &self,
        looked: &mut Looked,
        look: fn(<T::Root as Owned>::Reader<'_>, &mut Looked) -> Result<(), Failure>,
    ) {
        let seen = self.0.get().map_err(Failure::from);
        if seen.and_then(|root| look(root, looked)).is_err() {
            *looked = Looked::default();
        }
    }
}

impl<S: ReaderSegments, T: Rooted> Look for Seen<S, T> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        self.read(looked, T::look);
    }
}

impl<S: ReaderSegments, T: Rooted> Fields for Seen<S, T> {
    #[inline]
    fn look_at_named(&self, looked: &mut Looked) {
        self.read(looked, T::look_at_named);
    }
}
