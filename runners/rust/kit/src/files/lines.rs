//! Rows that are lines of text.

use std::io::BufRead;

use super::message::{encode, select, view};
use super::{Failure, RowFile, RowMessage, Source, Target};

/// A file of messages, one on each line.
///
/// As published, each row has a new buffer when it is written and a new string when it is read. Otherwise, all rows share
/// them.
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
            encode::<_, _, T>(&mut self.codec, row, &mut buffer)?;
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
            visit(view::<_, _, S>(&mut self.codec, line.as_bytes())?)
        })
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each_line(file, |line| {
            select::<_, _, S>(&mut self.codec, line.as_bytes())?.map_or(Ok(()), &mut visit)
        })
    }

    fn owned(view: C::View<'_>) -> Result<R, Failure> {
        C::owned(view)
    }
}

/// Passes each line of a file to `visit`, as UTF-8 and without its line end; an error names its row.
///
/// As published, each line has a new string. Otherwise, all lines share one.
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
