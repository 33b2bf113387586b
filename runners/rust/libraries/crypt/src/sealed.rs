//! Codecs that encrypt whole messages.

use wirelab_kit::files::{Failure, RowMessage};
use wirelab_messages::Encrypted;

use crate::Cipher;

/// A codec of rows of type `R` that are decrypted whole, into memory of their own.
pub trait Whole<R>: Default + 'static {
    /// What reading a message gives.
    type View;

    fn encode(row: &R) -> Result<Vec<u8>, Failure>;
    fn view(decrypted: Vec<u8>) -> Result<Self::View, Failure>;
    fn matches(view: &Self::View) -> bool;
    fn owned(view: Self::View) -> Result<R, Failure>;
}

/// A codec's messages, each encrypted as a whole; filtering decrypts all of them.
#[derive(Default)]
pub struct Sealed<W> {
    cipher: Cipher,
    #[allow(dead_code, reason = "a codec without state, named by its type")]
    codec: W,
}

impl<W: Whole<R>, R: 'static> RowMessage<Encrypted<R>> for Sealed<W> {
    type View<'a> = W::View;

    fn encode(&mut self, row: &Encrypted<R>, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        buffer.extend_from_slice(&self.cipher.encrypt(&W::encode(row)?)?);
        Ok(())
    }

    fn view(&mut self, bytes: &[u8]) -> Result<W::View, Failure> {
        W::view(self.cipher.decrypt(bytes)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<W::View>, Failure> {
        let view = W::view(self.cipher.decrypt(bytes)?)?;
        Ok(W::matches(&view).then_some(view))
    }

    fn owned(view: W::View) -> Result<Encrypted<R>, Failure> {
        W::owned(view).map(Encrypted)
    }
}
