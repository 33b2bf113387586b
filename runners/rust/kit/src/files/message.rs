//! Codecs that know single messages.

use std::marker::PhantomData;

use super::{Failure, Matches};
use crate::model::codec::{Codec, Decode, Encode};

/// Encodes and views single rows of type `R`; [`super::Framed`] and [`super::Lines`] make files of them.
pub trait RowMessage<R>: Default + 'static {
    type View<'a>;

    /// Appends the encoded row to `buffer`.
    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure>;

    /// As [`RowMessage::encode`], with the allocations of the publication where those are others.
    #[inline]
    fn encode_published(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        self.encode(row, buffer)
    }

    /// What must hold before bytes from outside may be read. Only a codec that skips validation has something to do
    /// here; it is never measured.
    #[inline]
    fn validate(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    /// Reads a row.
    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<Self::View<'a>, Failure>;

    /// Reads a row if the scenario's filter takes it.
    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<Self::View<'a>>, Failure>;

    /// As [`RowMessage::select`], by the publication's test where that is another.
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
        // The row owns all that it has, so that it may outlive the codec's scratch space.
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
