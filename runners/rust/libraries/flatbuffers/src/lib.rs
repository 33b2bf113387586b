//! Rows of logs with FlatBuffers: read in place unchecked, in place after the verifier, or copied out.

pub mod crypt;
#[rustfmt::skip]
#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod log_records_generated;
pub mod rows;

/// The tables of schemas/log-records.fbs, as flatc generates them.
pub use log_records_generated::wirelab::logs as tables;

use std::marker::PhantomData;

use wirelab_kit::Runner;
use wirelab_kit::files::{Failure, Framed, RowMessage};
use wirelab_messages::logs::{LogBlock, LogRecord, LogText};

use rows::{Builder, Row};

/// `root_unchecked`, and the fields in place: as published.
pub type Unchecked = Views<Trusting>;

/// `root`, which verifies the whole buffer, and the fields in place.
pub type Verified = Views<Verifying>;

/// How the root of a buffer is obtained.
pub trait Rooting: Default + 'static {
    fn root<'a, R: Row>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure>;
}

#[derive(Default)]
pub struct Trusting;

#[derive(Default)]
pub struct Verifying;

impl Rooting for Trusting {
    #[inline]
    fn root<'a, R: Row>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure> {
        // SAFETY: measured bytes were written by this program; bytes from outside have passed `validate`.
        Ok(unsafe { flatbuffers::root_unchecked::<R::Root<'a>>(bytes) })
    }
}

impl Rooting for Verifying {
    #[inline]
    fn root<'a, R: Row>(bytes: &'a [u8]) -> Result<R::Root<'a>, Failure> {
        Ok(flatbuffers::root::<R::Root<'a>>(bytes)?)
    }
}

/// Rows whose fields are read in place.
#[derive(Default)]
pub struct Views<K> {
    builder: Builder,
    rooting: PhantomData<K>,
}

/// Rows that are copied out of the buffer, filtered or not, as published. The root is unchecked.
#[derive(Default)]
pub struct Copied {
    builder: Builder,
}

/// Offers files of text and of attachments.
pub fn serve<M, C>(runner: Runner<C>) -> Runner<C>
where
    M: RowMessage<LogText> + RowMessage<LogRecord>,
{
    runner
        .files::<Framed<M>, LogText>()
        .files::<Framed<M>, LogRecord>()
}

/// Offers files of numbers and blobs.
pub fn serve_blocks<M: RowMessage<LogBlock>, C>(runner: Runner<C>) -> Runner<C> {
    runner.unfiltered_files::<Framed<M>, LogBlock>()
}

impl<K: Rooting, R: Row> RowMessage<R> for Views<K> {
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
        R::touch(&root);
        Ok(root)
    }

    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<R::Root<'a>>, Failure> {
        let root = K::root::<R>(bytes)?;
        Ok(R::matches(&root).then_some(root))
    }

    fn owned(root: R::Root<'_>) -> Result<R, Failure> {
        R::row(&root)
    }
}

impl<R: Row + wirelab_kit::files::Matches> RowMessage<R> for Copied {
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
        R::row(&Trusting::root::<R>(bytes)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<R>, Failure> {
        let row = R::row(&Trusting::root::<R>(bytes)?)?;
        Ok(row.matches().then_some(row))
    }

    fn owned(row: R) -> Result<R, Failure> {
        Ok(row)
    }
}

/// Builds a row's buffer, without a file identifier, and appends it.
fn encode<R: Row>(builder: &mut Builder, row: &R, buffer: &mut Vec<u8>) {
    builder.reset();
    let root = row.build(builder);
    builder.finish_minimal(root);
    buffer.extend_from_slice(builder.finished_data());
}
