//! brec's stream: packets one after another, found again by their signature.

use brec::prelude::*;
use wirelab_kit::Runner;
use wirelab_kit::files::{Failure, RowFile, Source, Target};
use wirelab_messages::logs::{Level, LogBlock, LogRecord, LogSecret, LogText};

use crate::rows::{Keys, Row, matches};
use crate::storage;
use crate::{Block, Metadata, MetadataReferred, Packet, PacketBufReader, Payload, Rule};

/// `Packet::write_all` and `PacketBufReader`.
#[derive(Default)]
pub struct Stream {
    keys: Keys,
}

/// Written as a storage, read as a stream, which skips the headers of the slots.
#[derive(Default)]
pub struct StreamedStorage {
    stream: Stream,
}

impl Stream {
    /// Offers files of all rows.
    pub fn serve<C>(runner: Runner<C>) -> Runner<C> {
        runner
            .files::<Self, LogText>()
            .files::<Self, LogRecord>()
            .files::<Self, LogSecret>()
            .unfiltered_files::<Self, LogBlock>()
    }
}

impl StreamedStorage {
    /// Offers files of text and of attachments.
    pub fn serve<C>(runner: Runner<C>) -> Runner<C> {
        runner.files::<Self, LogText>().files::<Self, LogRecord>()
    }
}

impl<R: Row> RowFile<R> for Stream {
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
        let mut context = self.keys.to_write::<R>()?;
        for row in rows {
            row.packet().write_all(file, &mut context)?;
        }
        Ok(())
    }

    fn read<S: Source>(
        &mut self,
        mut file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut reader: PacketBufReader<_> = PacketBufReader::new(&mut file);
        let mut context = self.keys.to_read::<R>()?;
        each(|| reader.read(&mut context), visit)
    }

    fn filter<S: Source>(
        &mut self,
        mut file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut reader: PacketBufReader<_> = PacketBufReader::new(&mut file);
        reader.add_rule(Rule::Prefilter(RuleFnDef::Dynamic(Box::new(|blocks| {
            let is_err = |meta: &MetadataReferred| meta.level == Level::Err;
            blocks.find::<Metadata, _>(is_err).is_some()
        }))))?;
        reader.add_rule(Rule::FilterPacket(RuleFnDef::Dynamic(Box::new(matches))))?;
        let mut context = self.keys.to_read::<R>()?;
        each(|| reader.read(&mut context), visit)
    }

    fn owned(packet: Packet) -> Result<R, Failure> {
        R::row(packet)
    }
}

/// Shows each packet that is found to `visit`.
#[inline]
fn each(
    mut next: impl FnMut() -> Result<NextPacket<Block, Payload, Payload>, Error>,
    mut visit: impl FnMut(Packet) -> Result<(), Failure>,
) -> Result<(), Failure> {
    loop {
        match next()? {
            NextPacket::Found(packet) => visit(packet)?,
            NextPacket::NoData => return Ok(()),
            NextPacket::NotFound | NextPacket::NotEnoughData(_) | NextPacket::Skipped => {}
        }
    }
}

impl<R: Row> RowFile<R> for StreamedStorage {
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
        storage::write(&mut self.stream.keys, rows, file)
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        RowFile::<R>::read(&mut self.stream, file, visit)
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        RowFile::<R>::filter(&mut self.stream, file, visit)
    }

    fn owned(packet: Packet) -> Result<R, Failure> {
        R::row(packet)
    }
}
