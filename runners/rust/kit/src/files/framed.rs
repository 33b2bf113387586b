//! Rows behind their length as a little-endian u32.

use std::io::{ErrorKind, Read};

use super::{Failure, RowFile, RowMessage, Source, Target};

/// The longest row that is read, in bytes: a hundred times the longest of the lab.
const LONGEST: usize = 1 << 20;

/// A file of framed messages.
///
/// As published: an encoded buffer anew for each row, two writes and two reads a row, a zeroed buffer for each row
/// read, and whatever length a frame claims. Otherwise one buffer for all, and a frame too long or cut is an error.
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
            if T::PUBLISHED {
                buffer = Vec::new();
                self.codec.encode_published(row, &mut buffer)?;
            } else {
                buffer.clear();
                self.codec.encode(row, &mut buffer)?;
            }
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
            if S::OUTSIDE {
                self.codec.validate(bytes)?;
            }
            visit(self.codec.view(bytes)?)
        })
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each(file, |bytes| {
            if S::OUTSIDE {
                self.codec.validate(bytes)?;
            }
            let taken = if S::PUBLISHED {
                self.codec.select_published(bytes)?
            } else {
                self.codec.select(bytes)?
            };
            taken.map_or(Ok(()), &mut visit)
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

/// Reads the next message into a new, zeroed buffer. A length that is cut counts as the end of the file.
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

/// Reads the next message into the one buffer.
#[inline]
fn next(file: &mut impl Read, buffer: &mut Vec<u8>) -> Result<bool, Failure> {
    let mut length = [0; 4];
    let mut have = 0;
    while have < length.len() {
        match file.read(&mut length[have..])? {
            0 if have == 0 => return Ok(false),
            0 => return Err(format!("the file ends {have} bytes into the length of a row").into()),
            more => have += more,
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
