//! Rows behind their length as a little-endian u32.

use std::io::{ErrorKind, Read};

use super::message::{encode, select, view};
use super::{Failure, RowFile, RowMessage, Source, Target};

/// The longest row that is read, in bytes: a hundred times the longest row of the lab.
const LONGEST: usize = 1 << 20;

/// A file of framed messages.
///
/// As published, each row has a new buffer when it is written and a new zeroed one when it is read, takes two writes and
/// two reads, and may claim any length. Otherwise, all rows share a buffer, and a frame that is too long or cut is an
/// error.
#[derive(Default)]
pub struct Framed<C> {
    codec: C,
}

impl<R: 'static, C: RowMessage<R>> RowFile<R> for Framed<C> {
    type Row = R;
    type View<'a> = C::View<'a>;

    fn row(value: R) -> Result<R, Failure> {
        Ok(value)
    }

    fn write<'r, T: Target>(
        &mut self,
        rows: impl Iterator<Item = &'r R>,
        file: &mut T,
    ) -> Result<(), Failure> {
        let mut buffer = Vec::new();
        for row in rows {
            encode::<_, _, T>(&mut self.codec, row, &mut buffer)?;
            file.write_all(&u32::try_from(buffer.len())?.to_le_bytes())?;
            file.write_all(&buffer)?;
        }
        Ok(())
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each(file, |bytes| {
            visit(view::<_, _, S>(&mut self.codec, bytes)?)
        })
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each(file, |bytes| {
            select::<_, _, S>(&mut self.codec, bytes)?.map_or(Ok(()), &mut visit)
        })
    }

    fn owned(view: C::View<'_>) -> Result<R, Failure> {
        C::owned(view)
    }
}

/// Shows each message of a file to `visit`; an error names its row, counted from 1.
#[inline]
fn each<S: Source>(
    mut file: S,
    mut visit: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    let mut row = 0_u64;
    loop {
        row += 1;
        let more = if S::PUBLISHED {
            next_published(&mut file, &mut buffer)
        } else {
            next(&mut file, &mut buffer)
        };
        match more.and_then(|more| {
            if more {
                visit(&buffer).map(|()| true)
            } else {
                Ok(false)
            }
        }) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(format!("row {row}: {error}").into()),
        }
    }
}

/// Reads the next message into a new, zeroed buffer. Takes a length that is cut for the end of the file.
#[inline]
fn next_published(file: &mut impl Read, buffer: &mut Vec<u8>) -> Result<bool, Failure> {
    let mut length = [0; 4];
    match file.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
        outcome => outcome?,
    }
    *buffer = vec![0; u32::from_le_bytes(length) as usize];
    file.read_exact(buffer)?;
    Ok(true)
}

/// Reads the next message into the shared buffer.
#[inline]
fn next(file: &mut impl Read, buffer: &mut Vec<u8>) -> Result<bool, Failure> {
    let mut length = [0; 4];
    let mut filled = 0;
    while filled < length.len() {
        match file.read(&mut length[filled..])? {
            0 if filled == 0 => return Ok(false),
            0 => {
                return Err(
                    format!("the file ends {filled} bytes into the length of a row").into(),
                );
            }
            more => filled += more,
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(format!("claims {length} bytes; a row has at most {LONGEST}").into());
    }
    buffer.resize(length, 0);
    file.read_exact(buffer)
        .map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                format!("claims {length} bytes, but the file ends before").into()
            }
            _ => Failure::from(error),
        })?;
    Ok(true)
}
