//! brec's stream: packets one after another, found again by their signature.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use brec::prelude::*;
use wirelab_kit::Runner;
use wirelab_kit::files::{self, Failure, RowFile, Source, Target};
use wirelab_messages::logs::{Level, LogBlock, LogRecord, LogSecret, LogText};

use crate::rows::{Keys, Row, matches};
use crate::storage;
use crate::{Metadata, MetadataReferred, Packet, PacketBufReader, ProtocolContext, Rule};

/// `Packet::write_all` and `PacketBufReader`.
#[derive(Default)]
pub struct Stream {
    keys: Keys,
    /// How many bytes at a time rightly belong to no packet.
    skips: u64,
}

/// Written as a storage, read as a stream, which skips the headers of the slots.
pub struct StreamedStorage {
    stream: Stream,
}

/// Bytes of the header of a slot.
const SLOT_HEADER: u64 = 4020;

impl Default for StreamedStorage {
    fn default() -> Self {
        Self {
            stream: Stream {
                skips: SLOT_HEADER,
                ..Stream::default()
            },
        }
    }
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
        let mut context = self.keys.for_writing::<R>()?;
        for row in rows {
            row.packet().write_all(file, &mut context)?;
        }
        Ok(())
    }

    fn read<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut source = Trickle(file);
        let mut reader = PacketBufReader::new(&mut source);
        each(
            &mut reader,
            &mut self.keys.for_reading::<R>()?,
            self.skips,
            visit,
        )
    }

    fn filter<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Packet) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut source = Trickle(file);
        let mut reader = PacketBufReader::new(&mut source);
        reader.add_rule(Rule::Prefilter(RuleFnDef::Dynamic(Box::new(|blocks| {
            let is_err = |meta: &MetadataReferred| meta.level == Level::Err;
            blocks.find::<Metadata, _>(is_err).is_some()
        }))))?;
        reader.add_rule(Rule::FilterPacket(RuleFnDef::Dynamic(Box::new(matches))))?;
        each(
            &mut reader,
            &mut self.keys.for_reading::<R>()?,
            self.skips,
            visit,
        )
    }

    fn owned(packet: Packet) -> Result<R, Failure> {
        R::row(packet)
    }
}

/// Shows each packet that is found to `visit`. What comes from outside may be damaged: what survives is shown, and
/// what did not is reported, as far as the reader gets past it.
///
/// Of a packet that is cut by the end of the file the reader says forever that it needs so many bytes more; that is
/// the end when it comes twice in a row.
#[inline]
fn each<S: Source>(
    reader: &mut PacketBufReader<'_, Trickle<S>>,
    context: &mut ProtocolContext<'_>,
    skips: u64,
    mut visit: impl FnMut(Packet) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut losses = Losses::default();
    if S::OUTSIDE {
        losses.watch(reader)?;
    }
    let (mut needed, mut survivors, mut first_error) = (0, 0_u64, None);
    loop {
        match reader.read(context) {
            Ok(NextPacket::Found(packet)) => {
                survivors += 1;
                needed = 0;
                visit(packet)?;
            }
            Ok(NextPacket::NoData) => break,
            Ok(NextPacket::NotEnoughData(more)) if more > 0 && more == needed => {
                losses.packets += 1;
                if !S::OUTSIDE {
                    return Err(format!("the file ends {more} bytes before its last packet").into());
                }
                break;
            }
            Ok(NextPacket::NotEnoughData(more)) => needed = more,
            Ok(NextPacket::Skipped) => {
                survivors += 1;
                needed = 0;
            }
            Ok(NextPacket::NotFound) => needed = 0,
            Err(error) if !S::OUTSIDE => return Err(error.into()),
            Err(error) => {
                losses.packets += 1;
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        Some(error) if survivors == 0 => Err(error.into()),
        _ if survivors == 0 && losses.skipped() > 0 => Err("no packet is in the file".into()),
        _ => {
            losses.report(skips);
            Ok(())
        }
    }
}

/// A file that, where it may be damaged, comes in pieces shorter than a packet.
///
/// Of a packet that it has whole in its buffer and whose payload is damaged, brec 0.6 consumes nothing, and finds it
/// again for ever. What it had to gather piece by piece it has consumed.
struct Trickle<S>(S);

impl<S: Source> Read for Trickle<S> {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if S::OUTSIDE {
            let piece = bytes.len().min(PIECE);
            self.0.read(&mut bytes[..piece])
        } else {
            self.0.read(bytes)
        }
    }
}

/// Longer than the header of a packet, which is 29 bytes, and shorter than one with a block.
const PIECE: usize = 32;

/// What damage took.
#[derive(Default)]
struct Losses {
    packets: u64,
    skipped: Arc<AtomicU64>,
}

impl Losses {
    /// Counts the bytes that the reader ignores because they belong to no packet.
    fn watch<S: Source>(
        &self,
        reader: &mut PacketBufReader<'_, Trickle<S>>,
    ) -> Result<(), Failure> {
        let skipped = Arc::clone(&self.skipped);
        reader.add_rule(Rule::Ignored(RuleFnDef::Dynamic(Box::new(move |bytes| {
            skipped.fetch_add(bytes.len() as u64, Relaxed);
        }))))?;
        Ok(())
    }

    fn skipped(&self) -> u64 {
        self.skipped.load(Relaxed)
    }

    /// Says what was lost. Headers of `header` bytes (0: none) lie between packets rightly.
    fn report(&self, header: u64) {
        let skipped = self.skipped();
        // Of 0, nothing but 0 is a multiple.
        let rightly = skipped.is_multiple_of(header);
        if self.packets > 0 || !rightly {
            files::report_loss(format!(
                "rows are lost to damage: {} found broken, and {skipped} bytes skipped that are of no packet",
                self.packets
            ));
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
