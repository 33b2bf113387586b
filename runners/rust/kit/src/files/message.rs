//! Rows that are messages: what a codec implements for one, and how the formats of files read and write it.

use std::marker::PhantomData;

use super::{Failure, Matches, Source, Target};
use crate::model::codec::{Codec, Decode, Encode};

/// Encodes and views single rows of type `R`; [`super::Framed`] and [`super::Lines`] make files of them.
pub trait RowMessage<R>: Default + 'static {
    type View<'a>;

    /// Appends the encoded row to `buffer`.
    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure>;

    /// As [`RowMessage::encode`], with the allocations of the publication where those differ.
    #[inline]
    fn encode_published(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        self.encode(row, buffer)
    }

    /// Checks bytes from outside before they may be read. Only a codec that skips validation implements it; it is never
    /// measured.
    #[inline]
    fn validate(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    /// Reads a row.
    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<Self::View<'a>, Failure>;

    /// Reads a row if it matches the scenario's filter.
    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<Self::View<'a>>, Failure>;

    /// As [`RowMessage::select`], with the publication's test where that differs.
    #[inline]
    fn select_published<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<Self::View<'a>>, Failure> {
        self.select(bytes)
    }

    /// The row that was read.
    fn owned(view: Self::View<'_>) -> Result<R, Failure>;
}

/// The rows of a codec that decodes whole messages: filtering decodes each of them.
pub struct Owned<C>(C, PhantomData<fn()>);

impl<C: Default> Default for Owned<C> {
    fn default() -> Self {
        Self(C::default(), PhantomData)
    }
}

impl<C, R: Matches + 'static> RowMessage<R> for Owned<C>
where
    C: Encode<R> + for<'a> Decode<'a, R> + Codec<Buffer = Vec<u8>>,
{
    type View<'a> = R;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        self.0.encode(row, buffer).map_err(|e| e.to_string().into())
    }

    fn view(&mut self, bytes: &[u8]) -> Result<R, Failure> {
        // The row owns its data, so that it may outlive the codec's scratch space.
        self.0.decode(bytes).map_err(|e| e.to_string().into())
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<R>, Failure> {
        let row: R = self.view(bytes)?;
        Ok(row.matches().then_some(row))
    }

    fn owned(view: R) -> Result<R, Failure> {
        Ok(view)
    }
}

/// Encodes a row into the buffer: as published, into a new one.
#[inline]
pub fn encode<C: RowMessage<R>, R, T: Target>(
    codec: &mut C,
    row: &R,
    buffer: &mut Vec<u8>,
) -> Result<(), Failure> {
    if T::PUBLISHED {
        *buffer = Vec::new();
        codec.encode_published(row, buffer)
    } else {
        buffer.clear();
        codec.encode(row, buffer)
    }
}

/// Reads a row, after validation if its bytes come from outside.
#[inline]
pub fn view<'a, C: RowMessage<R>, R, S: Source>(
    codec: &mut C,
    bytes: &'a [u8],
) -> Result<C::View<'a>, Failure> {
    if S::OUTSIDE {
        codec.validate(bytes)?;
    }
    codec.view(bytes)
}

/// Reads a row if it matches the scenario's filter, after validation if its bytes come from outside.
#[inline]
pub fn select<'a, C: RowMessage<R>, R, S: Source>(
    codec: &mut C,
    bytes: &'a [u8],
) -> Result<Option<C::View<'a>>, Failure> {
    if S::OUTSIDE {
        codec.validate(bytes)?;
    }
    if S::PUBLISHED {
        codec.select_published(bytes)
    } else {
        codec.select(bytes)
    }
}
