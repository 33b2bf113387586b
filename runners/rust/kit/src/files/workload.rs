//! `write`, `read` and `filter` of files, made ready to be measured.

use std::hint::black_box;
use std::io::Cursor;
use std::marker::PhantomData;

use super::medium::{All, Matching, Medium, Selection, Stored};
use super::{Failure, RowFile, transcode};
use crate::base::allocation::Allocations;
use crate::base::calls;
use crate::measuring::prepare::{Prepared, Setting};
use crate::measuring::timing::Lap;
use crate::measuring::workload::{FileCounts, Workload};
use crate::model::message::{self, Message};
use crate::model::product::Product;

/// `write`: the rows, `repetitions` times, into one new file.
pub fn writing<C: RowFile<R>, R: Message, M: Medium>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Writing::<C, R, M> {
            rows,
            counts: FileCounts::default(),
            medium: PhantomData,
        })
    })
}

/// `read`: all rows of a file that holds them `repetitions` times.
pub fn reading<C: RowFile<R>, R: Message, M: Medium>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Reading::<C, R, M, All> {
            rows,
            counts: FileCounts::default(),
            medium: PhantomData,
        })
    })
}

/// `filter`: the rows of such a file that match the scenario's filter.
pub fn filtering<C: RowFile<R>, R: Message, M: Medium>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Reading::<C, R, M, Matching> {
            rows,
            counts: FileCounts::default(),
            medium: PhantomData,
        })
    })
}

fn prepared<C: RowFile<R>, R: Message>(
    setting: Setting,
    json: &[u8],
    workload: impl FnOnce(Stored<C, R>) -> Box<dyn Workload>,
) -> Result<Prepared, String> {
    let rows = message::read::<R>(setting.rows, json)?;
    let rows: Vec<C::Row> = rows
        .into_iter()
        .map(C::row)
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    let bytes = transcode::bytes_of::<C, R>(&rows).map_err(|e| e.to_string())?;
    let encoded_bytes = bytes.len() as u64;
    let stored = Stored {
        rows,
        bytes,
        work: setting.work.to_path_buf(),
    };
    Ok(Prepared {
        workload: workload(stored),
        encoded_bytes,
    })
}

struct Writing<C: RowFile<R>, R, M> {
    rows: Stored<C, R>,
    counts: FileCounts,
    medium: PhantomData<M>,
}

impl<C: RowFile<R>, R: Message, M: Medium> Workload for Writing<C, R, M> {
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        let (outcome, calls) = calls::count(|| M::write(&self.rows, repetitions));
        let (lap, written) = outcome.map_err(text)?;
        self.counts = FileCounts {
            rows: repetitions * self.rows.rows.len() as u64,
            rows_matched: None,
            file_bytes: written.remove().map_err(text)?,
            cached_bytes: None,
            calls,
        };
        Ok(lap)
    }

    fn allocations(&mut self) -> Result<Allocations, String> {
        let (allocations, written) = M::write(&self.rows, 1).map_err(text)?;
        written.remove().map_err(text)?;
        Ok(allocations)
    }

    /// The rows read back from a file that was written as in the loop, with one pass over the rows.
    fn product(&mut self, _: bool) -> Result<Product, String> {
        let (_, written): (Lap, _) = M::write(&self.rows, 1).map_err(text)?;
        let bytes = written.take().map_err(text)?;
        let mut product = Product::new(true);
        C::default()
            .read(Cursor::new(bytes.as_slice()), record::<C, R>(&mut product))
            .map_err(text)?;
        Ok(product)
    }

    fn counts(&self) -> Option<FileCounts> {
        Some(self.counts)
    }
}

struct Reading<C: RowFile<R>, R, M, T> {
    rows: Stored<C, R>,
    counts: FileCounts,
    medium: PhantomData<(M, T)>,
}

impl<C: RowFile<R>, R: Message, M: Medium, T: Selection> Workload for Reading<C, R, M, T> {
    fn prepare(&mut self, repetitions: u64) -> Result<(), String> {
        M::prepare(&self.rows, repetitions).map_err(text)
    }

    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        let mut visited = 0_u64;
        let (outcome, calls) = calls::count(|| {
            M::read::<C, R, T, _>(&self.rows, repetitions, |view| {
                visited += 1;
                black_box(&view);
                Ok(())
            })
        });
        let (lap, size) = outcome.map_err(text)?;
        self.counts = FileCounts {
            rows: if T::FILTERS {
                repetitions * self.rows.rows.len() as u64
            } else {
                visited
            },
            rows_matched: T::FILTERS.then_some(visited),
            file_bytes: size.bytes,
            cached_bytes: size.cached,
            calls,
        };
        Ok(lap)
    }

    fn allocations(&mut self) -> Result<Allocations, String> {
        let read = M::read::<C, R, T, _>(&self.rows, 1, |view| {
            black_box(&view);
            Ok(())
        });
        read.map_err(text).map(|(allocations, _)| allocations)
    }

    /// The rows of one pass, read as in the loop.
    fn product(&mut self, _: bool) -> Result<Product, String> {
        let mut product = Product::new(true);
        M::read::<C, R, T, Lap>(&self.rows, 1, record::<C, R>(&mut product)).map_err(text)?;
        Ok(product)
    }

    fn counts(&self) -> Option<FileCounts> {
        Some(self.counts)
    }
}

/// Adds each row to a product.
pub(super) fn record<C: RowFile<R>, R: Message>(
    product: &mut Product,
) -> impl FnMut(C::View<'_>) -> Result<(), Failure> {
    |view| product.value(&C::owned(view)?).map_err(Failure::from)
}

fn text(error: Failure) -> String {
    error.to_string()
}
