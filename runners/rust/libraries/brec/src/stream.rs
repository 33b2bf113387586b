//! brec's stream: packets one after another, which a reader recognizes by their signature.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use brec::prelude::*;
use wirelab_kit::files::{self, Failure, RowFile, Source, Target};

use crate::rows::{Keys, Row};
use crate::storage;
use crate::{Packet, PacketBufReader, ProtocolContext, Rule};

/// `Packet::write_all` and `PacketBufReader`.
#[derive(Default)]
pub struct Stream {
    keys: Keys,
    /// The size of the headers between packets, in bytes.
    header: u64,
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
                header: SLOT_HEADER,
                ..Stream::default()
            },
        }
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
            self.header,
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
        for rule in R::rules() {
            reader.add_rule(rule)?;
        }
        each(
            &mut reader,
            &mut self.keys.for_reading::<R>()?,
            self.header,
            visit,
        )
    }

    fn owned(packet: Packet) -> Result<R, Failure> {
        R::row(packet)
    }
}

/// Passes each packet to `visit`. A file from outside may be damaged: the packets that survive are passed on and the
/// others reported, as far as the reader gets past the damage.
///
/// For a packet that the end of the file cuts, the reader asks for the same number of further bytes forever; so the same
/// number twice in a row is the end.
#[inline]
fn each<S: Source>(
    reader: &mut PacketBufReader<'_, Trickle<S>>,
    context: &mut ProtocolContext<'_>,
    header: u64,
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
        _ if survivors == 0 && losses.skipped() > 0 => Err("the file holds no packet".into()),
        _ => {
            losses.report(header);
            Ok(())
        }
    }
}

/// A file that, if it may be damaged, is read in pieces shorter than a packet.
///
/// brec 0.6 never consumes a packet with a damaged payload that lies whole in its buffer, and meets it again forever. A
/// packet that it gathers piece by piece is consumed.
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

/// What damage destroyed.
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

    /// Reports what was lost. Headers of `header` bytes (0: none) between packets are no loss.
    fn report(&self, header: u64) {
        let skipped = self.skipped();
        // The only multiple of 0 is 0.
        let only_headers = skipped.is_multiple_of(header);
        if self.packets > 0 || !only_headers {
            files::report_loss(format!(
                "rows are lost to damage: {} broken packets, and {skipped} skipped bytes that belong to no packet",
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
