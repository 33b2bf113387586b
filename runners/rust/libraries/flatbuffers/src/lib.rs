//! Messages and rows with FlatBuffers: read in place unchecked, in place after the verifier, or copied out.

pub mod sealed;
pub mod stored;
#[rustfmt::skip]
#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod generated {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/flatbuffers/types_generated.rs"));
}
#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/flatbuffers/types.rs"));
}

/// The tables of types.fbs, as flatc generates them.
use generated::wirelab::types as tables;

use std::convert::Infallible;
use std::marker::PhantomData;

use wirelab_kit::files::{Failure, Matches, RowMessage};
use wirelab_kit::{Access, Buffer, Codec, Decode, Encode, Fields, Limit, Look, Looked};

pub use sealed::{Cipher, CopiedSealed, Sealed};
use stored::{Builder, Rooted, Touch};
pub use types::{serve, serve_rows, serve_sealed, serve_unfiltered_rows};

/// What FlatBuffers have in the place of what they lack.
pub const INSTEAD: &[Limit] = &[
    ("list-message", "a table around the list"),
    ("map", "a vector of tables with key and value"),
    (
        "nested-list",
        "a table around each element, or a struct of numbers",
    ),
    ("option-in-list", "a table around each element"),
    (
        "tuple",
        "a table with a field an element, or a struct of numbers",
    ),
    ("u128", "a vector of the little-endian bytes"),
];

/// `root_unchecked`, and the fields in place: as published.
pub type Unchecked = Views<Trusting>;

/// `root`, which verifies the whole buffer, and the fields in place.
pub type Verified = Views<Verifying>;

/// How the root of a buffer is obtained.
pub trait Rooting: Default + 'static {
    fn root<'a, R: Rooted>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure>;
}

#[derive(Default)]
pub struct Trusting;

#[derive(Default)]
pub struct Verifying;

impl Rooting for Trusting {
    #[inline]
    fn root<'a, R: Rooted>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure> {
        // SAFETY: measured bytes were written by this program; bytes from outside have passed `validate`.
        Ok(unsafe { flatbuffers::root_unchecked::<R::Root<'a>>(bytes) })
    }
}

impl Rooting for Verifying {
    #[inline]
    fn root<'a, R: Rooted>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure> {
        Ok(flatbuffers::root::<R::Root<'a>>(bytes)?)
    }
}

/// Messages whose fields are read in place.
#[derive(Default)]
pub struct Views<K> {
    builder: Builder,
    rooting: PhantomData<K>,
}

/// Messages that are copied out of the buffer, filtered or not, as published. The root is unchecked.
#[derive(Default)]
pub struct Copied {
    builder: Builder,
}

/// A builder, which holds the bytes that it has finished.
#[derive(Default)]
pub struct Finished(Builder);

impl Buffer for Finished {
    type Input = [u8];

    #[inline]
    fn clear(&mut self) {
        self.0.reset();
    }

    #[inline]
    fn as_input(&self) -> &[u8] {
        self.0.finished_data()
    }
}

impl<K: Rooting> Codec for Views<K> {
    type Buffer = Finished;
    type EncodeError = Infallible;
    type DecodeError = Failure;
}

impl<K: Rooting, R: Rooted> Encode<R> for Views<K> {
    fn encode(&mut self, value: &R, buffer: &mut Finished) -> Result<(), Infallible> {
        let root = value.build(&mut buffer.0);
        buffer.0.finish_minimal(root);
        Ok(())
    }
}

impl<'a, K: Rooting, R: Rooted> Decode<'a, R> for Views<K> {
    fn decode(&'a mut self, input: &'a [u8]) -> Result<R, Failure> {
        R::read(K::root::<R>(input)?)
    }

    fn validate(&mut self, input: &'a [u8]) -> Result<(), Failure> {
        Verifying::root::<R>(input).map(drop)
    }
}

impl<K: Rooting, R: Rooted> Access<R> for Views<K> {
    type Root<'a> = Seen<'a, R>;

    fn root<'a>(&mut self, input: &'a [u8]) -> Result<Seen<'a, R>, Failure> {
        K::root::<R>(input).map(Seen)
    }
}

/// The root of a message, whose fields are read in place.
pub struct Seen<'a, R: Rooted>(R::Root<'a>);

impl<R: Rooted> Look for Seen<'_, R> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        R::look(self.0, looked);
    }
}

impl<R: Rooted> Fields for Seen<'_, R> {
    #[inline]
    fn look_at_named(&self, looked: &mut Looked) {
        R::look_at_named(self.0, looked);
    }
}

impl<K: Rooting, R: Rooted> RowMessage<R> for Views<K> {
    type View<'a> = R::Root<'a>;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        encode(&mut self.builder, row, buffer);
        Ok(())
    }

    fn encode_published(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        encode(&mut Builder::new(), row, buffer);
        Ok(())
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Verifying::root::<R>(bytes).map(drop)
    }

    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<R::Root<'a>, Failure> {
        let root = K::root::<R>(bytes)?;
        R::look(root, &mut Touch);
        Ok(root)
    }

    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<R::Root<'a>>, Failure> {
        let root = K::root::<R>(bytes)?;
        Ok(R::matches(&root).then_some(root))
    }

    fn owned(root: R::Root<'_>) -> Result<R, Failure> {
        R::read(root)
    }
}

impl<R: Rooted + Matches> RowMessage<R> for Copied {
    type View<'a> = R;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        encode(&mut self.builder, row, buffer);
        Ok(())
    }

    fn encode_published(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        encode(&mut Builder::new(), row, buffer);
        Ok(())
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Verifying::root::<R>(bytes).map(drop)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<R, Failure> {
        R::read(Trusting::root::<R>(bytes)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<R>, Failure> {
        let row = R::read(Trusting::root::<R>(bytes)?)?;
        Ok(row.matches().then_some(row))
    }

    fn owned(row: R) -> Result<R, Failure> {
        Ok(row)
    }
}

/// Builds a row's buffer, without a file identifier, and appends it.
fn encode<R: Rooted>(builder: &mut Builder, row: &R, buffer: &mut Vec<u8>) {
    builder.reset();
    let root = row.build(builder);
    builder.finish_minimal(root);
    buffer.extend_from_slice(builder.finished_data());
}
