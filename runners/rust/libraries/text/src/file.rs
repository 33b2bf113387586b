//! Files of lines.

use wirelab_kit::files::{Failure, RowFile, Source, Target, each_line};

use crate::Line;

/// Lines of text. Reading gives a line; filtering searches it.
#[derive(Default)]
pub struct PlainText;

impl<R: Line> RowFile<R> for PlainText {
    /// The row and its line: the publication writes lines that are formatted before the clock starts.
    type Row = (R, String);
    type View<'a> = &'a str;

    fn row(value: R) -> Result<(R, String), Failure> {
        let mut line = Vec::new();
        value.format(&mut line)?;
        Ok((value, String::from_utf8(line)?))
    }

    fn write<'r, T: Target>(
        &mut self,
        rows: impl Iterator<Item = &'r (R, String)>,
        file: &mut T,
    ) -> Result<(), Failure> {
        let mut line = Vec::new();
        for (row, formatted) in rows {
            if T::PUBLISHED {
                line = format!("{formatted}\n").into_bytes();
            } else {
                line.clear();
                row.format(&mut line)?;
                line.push(b'\n');
            }
            file.write_all(&line)?;
        }
        Ok(())
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each_line(file, visit)
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        each_line(file, |line| {
            let is_match = if S::PUBLISHED {
                R::matches_as_published(line)
            } else {
                R::matches(line)
            };
            if is_match { visit(line) } else { Ok(()) }
        })
    }

    fn owned(line: &str) -> Result<R, Failure> {
        R::parse(line)
    }
}
