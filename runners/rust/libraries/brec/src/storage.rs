//! brec's storage: packets in slots of 500, each with an index.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use wirelab_kit::files::{Failure, RowFile, Source, Target};

use crate::rows::{Keys, Row};
use crate::{Packet, Reader, Writer};

/// `Writer::insert`, `Reader::iter` and `Reader::filtered`.
#[derive(Default)]
pub struct Storage {
    keys: Keys,
}

impl<R: Row> RowFile<R> for Storage {
    type Row = R;
    type View<'a> = Packet;

    fn row(value: R) -> Result<R, Failure> {
        Ok(value)
    }

    fn write<'r, T: Target>(
        &mut self,
        rows: impl Iterator<Item = &'r R>,
        file: &mut T,
    ) -> Result<(), Failure> {
        write(&mut self.keys, rows, file)
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut reader = Reader::new(ReadOnly(file))?;
        let count = reader.count();
        let mut packets = 0;
        for packet in reader.iter(&mut self.keys.for_reading::<R>()?) {
            visit(packet?)?;
            packets += 1;
        }
        if packets == count {
            Ok(())
        } else {
            Err(format!("{packets} packets were read, but the slots count {count}").into())
        }
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        mut visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut reader = Reader::new(ReadOnly(file))?;
        for rule in R::rules() {
            reader.add_rule(rule)?;
        }
        for packet in reader.filtered(&mut self.keys.for_reading::<R>()?) {
            visit(packet?)?;
        }
        Ok(())
    }

    fn owned(packet: Packet) -> Result<R, Failure> {
        R::row(packet)
    }
}

/// Writes rows as a storage.
pub fn write<'r, R: Row>(
    keys: &mut Keys,
    rows: impl Iterator<Item = &'r R>,
    file: &mut impl Target,
) -> Result<(), Failure> {
    let mut context = keys.for_writing::<R>()?;
    let mut writer = Writer::new(file)?;
    for row in rows {
        writer.insert(row.packet(), &mut context)?;
    }
    Ok(())
}

/// A read-only file behind the bound `Write`, which the iterators have.
struct ReadOnly<S>(S);

impl<S: Read> Read for ReadOnly<S> {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }

    #[inline]
    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_exact(bytes)
    }
}

impl<S: Seek> Seek for ReadOnly<S> {
    #[inline]
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

impl<S> Write for ReadOnly<S> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(ErrorKind::Unsupported.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
