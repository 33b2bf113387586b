//! Rows of which a part is an encrypted buffer. The caller provides the encryption.

use flatbuffers::{Follow, Verifiable};
use wirelab_kit::files::{Failure, Matches, RowMessage};

use crate::stored::{Builder, Eye, Touch};

/// The encryption of a row's part.
pub trait Cipher: Default + 'static {
    fn encrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure>;
    fn decrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure>;
}

/// A row of which a part is encrypted.
pub trait Sealing: Sized + 'static {
    /// The row's table with its part still encrypted.
    type Root<'a>: Follow<'a, Inner = Self::Root<'a>> + Verifiable + Copy;
    type Opened<'a>;

    /// The finished builder of the row, a new one as published.
    fn build(&self, cipher: &mut impl Cipher) -> Result<Builder, Failure>;

    /// Whether the row matches as far as that can be read without decrypting.
    fn may_match(root: &Self::Root<'_>) -> bool;

    fn open<'a>(
        root: Self::Root<'a>,
        cipher: &mut impl Cipher,
    ) -> Result<Self::Opened<'a>, Failure>;

    /// Verifies the buffers that were encrypted.
    fn verify(opened: &Self::Opened<'_>) -> Result<(), Failure>;

    /// Reads every field in place.
    fn look(opened: &Self::Opened<'_>, eye: &mut impl Eye);

    /// Whether what was encrypted matches.
    fn matches(opened: &Self::Opened<'_>) -> bool;

    fn read(opened: &Self::Opened<'_>) -> Result<Self, Failure>;
}

/// Rows that are decrypted and read in place. Filtering decrypts only rows that may match.
#[derive(Default)]
pub struct Sealed<C>(C);

/// Rows that are decrypted and copied out, all of them, then filtered.
#[derive(Default)]
pub struct CopiedSealed<C>(C);

/// The root of a row's buffer, unchecked.
#[inline]
fn root<R: Sealing>(bytes: &[u8]) -> R::Root<'_> {
    // SAFETY: measured bytes were written by this program; bytes from outside have passed `verify`.
    unsafe { flatbuffers::root_unchecked::<R::Root<'_>>(bytes) }
}

fn write<R: Sealing>(
    row: &R,
    cipher: &mut impl Cipher,
    buffer: &mut Vec<u8>,
) -> Result<(), Failure> {
    let builder = row.build(cipher)?;
    buffer.extend_from_slice(builder.finished_data());
    Ok(())
}

/// Verifies a row's buffer and the encrypted buffers within it.
fn verify<R: Sealing>(bytes: &[u8], cipher: &mut impl Cipher) -> Result<(), Failure> {
    let root = flatbuffers::root::<R::Root<'_>>(bytes)?;
    R::verify(&R::open(root, cipher)?)
}

impl<C: Cipher, R: Sealing> RowMessage<R> for Sealed<C> {
    type View<'a> = R::Opened<'a>;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        write(row, &mut self.0, buffer)
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        verify::<R>(bytes, &mut self.0)
    }

    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<R::Opened<'a>, Failure> {
        let opened = R::open(root::<R>(bytes), &mut self.0)?;
        R::look(&opened, &mut Touch);
        Ok(opened)
    }

    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<R::Opened<'a>>, Failure> {
        let root = root::<R>(bytes);
        if !R::may_match(&root) {
            return Ok(None);
        }
        let opened = R::open(root, &mut self.0)?;
        Ok(R::matches(&opened).then_some(opened))
    }

    fn owned(opened: R::Opened<'_>) -> Result<R, Failure> {
        R::read(&opened)
    }
}

impl<C: Cipher, R: Sealing + Matches> RowMessage<R> for CopiedSealed<C> {
    type View<'a> = R;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        write(row, &mut self.0, buffer)
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        verify::<R>(bytes, &mut self.0)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<R, Failure> {
        R::read(&R::open(root::<R>(bytes), &mut self.0)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<R>, Failure> {
        let row: R = self.view(bytes)?;
        Ok(row.matches().then_some(row))
    }

    fn owned(row: R) -> Result<R, Failure> {
        Ok(row)
    }
}
