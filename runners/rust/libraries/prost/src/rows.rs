//! Rows of files: a row is converted into a message and encoded, then decoded whole and converted back.

use std::marker::PhantomData;

use prost::Message;
use wirelab_kit::files::{Failure, Matches, RowMessage};

/// prost: `encode` and `decode` of the messages `M`.
pub struct Rows<M>(PhantomData<fn() -> M>);

impl<M> Default for Rows<M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<M, R> RowMessage<R> for Rows<M>
where
    M: Message + Default + Matches + for<'r> From<&'r R> + 'static,
    R: TryFrom<M, Error = Failure>,
{
    type View<'a> = M;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(M::from(row).encode(buffer)?)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<M, Failure> {
        Ok(M::decode(bytes)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<M>, Failure> {
        let message = M::decode(bytes)?;
        Ok(message.matches().then_some(message))
    }

    fn owned(message: M) -> Result<R, Failure> {
        message.try_into()
    }
}

/// The encryption of a row's part.
pub trait Cipher: Default + 'static {
    fn encrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure>;
    fn decrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure>;
}

/// A message of which a part is encrypted bytes in the file.
pub trait Sealing: Matches + Sized + 'static {
    type Row;
    type Sealed: Message + Default;

    fn seal(row: &Self::Row, cipher: &mut impl Cipher) -> Result<Self::Sealed, Failure>;
    fn open(sealed: Self::Sealed, cipher: &mut impl Cipher) -> Result<Self, Failure>;
    fn owned(self) -> Result<Self::Row, Failure>;
}

/// Rows of which a part is encrypted. Filtering decrypts all of them.
pub struct SealedRows<C, M>(C, PhantomData<fn() -> M>);

impl<C: Default, M> Default for SealedRows<C, M> {
    fn default() -> Self {
        Self(C::default(), PhantomData)
    }
}

impl<C: Cipher, M: Sealing> RowMessage<M::Row> for SealedRows<C, M> {
    type View<'a> = M;

    fn encode(&mut self, row: &M::Row, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(M::seal(row, &mut self.0)?.encode(buffer)?)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<M, Failure> {
        M::open(M::Sealed::decode(bytes)?, &mut self.0)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<M>, Failure> {
        let message = self.view(bytes)?;
        Ok(message.matches().then_some(message))
    }

    fn owned(message: M) -> Result<M::Row, Failure> {
        message.owned()
    }
}
