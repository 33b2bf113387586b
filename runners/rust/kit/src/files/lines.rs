//! Rows that are lines of text.

use std::io::BufRead;

use super::{Failure, RowFile, RowMessage, Source, Target};

/// A file with a message a line.
///
/// As published: one write a row, and a new string for each line read. Otherwise one buffer for all.
#[derive(Default)]
pub struct Lines<C> {
    codec: C,
}

impl<R: 'static, C: RowMessage<R>> RowFile<R> for Lines<C> {
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
            buffer.push(b'\n');
            file.write_all(&buffer)?;
        }
        Ok(())
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each_line(file, |line| {
            let line = line.as_bytes();
            if S::OUTSIDE {
                self.codec.validate(line)?;
            }
            visit(self.codec.view(line)?)
        })
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each_line(file, |line| {
            let line = line.as_bytes();
            if S::OUTSIDE {
                self.codec.validate(line)?;
            }
            let taken = if S::PUBLISHED {
                self.codec.select_published(line)?
            } else {
                self.codec.select(line)?
            };
            taken.map_or(Ok(()), &mut visit)
        })
    }

    fn owned(view: C::View<'_>) -> Result<R, Failure> {
        C::owned(view)
    }
}

/// Shows each line of a file, checked to be UTF-8 and without its end, to `visit`; an error names its row.
///
/// As published: each line in a new string. Otherwise one for all.
#[inline]
pub fn each_line<S: Source>(
    file: S,
    mut visit: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut file = file.lines();
    let mut line = String::new();
    let mut number = 0_u64;
    loop {
        number += 1;
        if S::PUBLISHED {
            line = String::new();
        } else {
            line.clear();
        }
        let more = file.read_line(&mut line).map_err(Failure::from);
        match more.and_then(|length| {
            if length == 0 {
                return Ok(false);
            }
            visit(line.strip_suffix('\n').unwrap_or(&line)).map(|()| true)
        }) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(format!("row {number}: {error}").into()),
        }
    }
}
