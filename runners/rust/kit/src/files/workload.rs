//! File operations made ready to be measured.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufReader, Cursor, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::io::{BUFFER, BufferedTarget};
use super::{Failure, RowFile, Source, Target, cache, calls, transcode};
use crate::allocation::{self, Allocations};
use crate::codec::Message;
use crate::prepare::{self, Prepared, Setting};
use crate::product::Product;
use crate::timing::{Clock, Lap};
use crate::workload::{FileCounts, Workload};

/// The condition `io` of files.
pub trait Files: 'static {
    type Target: Target;
    type Source: Source;

    fn target(file: File) -> Self::Target;
    /// The file made ready to be read. Outside the clock.
    fn source(file: File) -> io::Result<Self::Source>;
}

/// io=as-published: what the codec does reaches the system as it is.
pub struct Published;

/// io=buffered: one buffer of 64 KiB for all that is written, or read.
pub struct Buffered;

/// cache=cold: the system is made to forget the file before it is read.
pub struct Cold<F>(PhantomData<F>);

/// io=memory: no file, but one pass over the rows in memory, written or read again for each repetition.
pub struct Memory;

impl Files for Published {
    type Target = File;
    type Source = File;

    fn target(file: File) -> File {
        file
    }

    fn source(file: File) -> io::Result<File> {
        Ok(file)
    }
}

impl Files for Buffered {
    type Target = BufferedTarget;
    type Source = BufReader<File>;

    fn target(file: File) -> BufferedTarget {
        BufferedTarget::new(file)
    }

    fn source(file: File) -> io::Result<BufReader<File>> {
        Ok(BufReader::with_capacity(BUFFER, file))
    }
}

impl<F: Files> Files for Cold<F> {
    type Target = F::Target;
    type Source = F::Source;

    fn target(file: File) -> F::Target {
        F::target(file)
    }

    fn source(file: File) -> io::Result<F::Source> {
        cache::forget(&file)?;
        F::source(file)
    }
}

/// Whether rows are read with or without the scenario's filter.
pub trait Take: 'static {
    const FILTERS: bool;

    fn each<C: RowFile<R>, R>(
        codec: &mut C,
        source: impl Source,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;
}

pub struct All;
pub struct Hits;

impl Take for All {
    const FILTERS: bool = false;

    #[inline(never)]
    fn each<C: RowFile<R>, R>(
        codec: &mut C,
        source: impl Source,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        codec.read(source, visit)
    }
}

impl Take for Hits {
    const FILTERS: bool = true;

    #[inline(never)]
    fn each<C: RowFile<R>, R>(
        codec: &mut C,
        source: impl Source,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        codec.filter(source, visit)
    }
}

/// `write`: the rows, `repetitions` times, into one file that is new.
pub fn writing<C: RowFile<R>, R: Message, P: Place>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Writing::<C, R, P> {
            rows,
            counts: FileCounts::default(),
            place: PhantomData,
        })
    })
}

/// `read`: all rows of a file that holds them `repetitions` times.
pub fn reading<C: RowFile<R>, R: Message, P: Place>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Reading::<C, R, P, All> {
            rows,
            counts: FileCounts::default(),
            place: PhantomData,
        })
    })
}

/// `filter`: the rows of such a file that the scenario's filter takes.
pub fn filtering<C: RowFile<R>, R: Message, P: Place>(
    setting: Setting,
    json: &[u8],
) -> Result<Prepared, String> {
    prepared::<C, R>(setting, json, |rows| {
        Box::new(Reading::<C, R, P, Hits> {
            rows,
            counts: FileCounts::default(),
            place: PhantomData,
        })
    })
}

fn prepared<C: RowFile<R>, R: Message>(
    setting: Setting,
    json: &[u8],
    workload: impl FnOnce(Stored<C, R>) -> Box<dyn Workload>,
) -> Result<Prepared, String> {
    let rows = prepare::read::<R>(setting.rows, json)?;
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

/// The rows, the bytes of one pass over them, and the folder for files.
pub struct Stored<C: RowFile<R>, R> {
    rows: Vec<C::Row>,
    bytes: Vec<u8>,
    work: PathBuf,
}

impl<C: RowFile<R>, R> Stored<C, R> {
    fn passes(&self, repetitions: u64) -> impl Iterator<Item = &C::Row> {
        (0..repetitions).flat_map(|_| self.rows.iter())
    }

    /// The path of a file that holds the rows `repetitions` times, which is written first where it is not there.
    fn file(&self, repetitions: u64) -> Result<PathBuf, Failure> {
        let path = self.work.join(format!("rows-{repetitions}"));
        if !path.exists() {
            let partial = self.work.join("rows-partial");
            let mut target = Buffered::target(create(&partial)?);
            C::default().write(self.passes(repetitions), &mut target)?;
            target.flush()?;
            fs::rename(&partial, &path)?;
        }
        Ok(path)
    }
}

/// A new file, open to be read too, since some codecs read back what they write.
fn create(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

/// What is told of a loop: the time that it takes, or what it allocates.
pub trait Meter {
    fn around<T>(work: impl FnOnce() -> T) -> (T, Self);
}

impl Meter for Lap {
    #[inline]
    fn around<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let clock = Clock::start();
        let outcome = work();
        (outcome, clock.stop())
    }
}

impl Meter for Allocations {
    fn around<T>(work: impl FnOnce() -> T) -> (T, Self) {
        allocation::count(work)
    }
}

/// What a loop wrote.
pub enum Written {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Written {
    /// Removes it. Returns how many bytes it had.
    fn remove(self) -> Result<u64, Failure> {
        match self {
            Self::File(path) => {
                let bytes = fs::metadata(&path)?.len();
                fs::remove_file(&path)?;
                Ok(bytes)
            }
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Removes it. Returns its bytes.
    fn take(self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::File(path) => {
                let bytes = fs::read(&path)?;
                fs::remove_file(&path)?;
                Ok(bytes)
            }
            Self::Bytes(bytes) => Ok(bytes),
        }
    }
}

/// What was there to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stock {
    bytes: u64,
    /// How many of them the system's cache held when the clock started; None where that is not known.
    cached: Option<u64>,
}

/// Where the rows of a timed loop are: in a file under one of the conditions, or in memory.
pub trait Place: 'static {
    /// Writes the rows `repetitions` times.
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure>;

    /// Reads the rows `repetitions` times.
    fn read<C: RowFile<R>, R, T: Take, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, Stock), Failure>;

    /// Has ready what [`Place::read`] reads.
    fn provide<C: RowFile<R>, R>(rows: &Stored<C, R>, repetitions: u64) -> Result<(), Failure>;
}

impl<F: Files> Place for F {
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure> {
        let path = rows.work.join("written");
        let mut target = F::target(create(&path)?);
        let mut codec = C::default();
        let (outcome, reading) = M::around(|| {
            write_all(&mut codec, rows.passes(black_box(repetitions)), &mut target)?;
            Ok::<_, Failure>(target.flush()?)
        });
        outcome?;
        Ok((reading, Written::File(path)))
    }

    fn read<C: RowFile<R>, R, T: Take, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, Stock), Failure> {
        if repetitions == 0 {
            return Ok((M::around(|| ()).1, Stock::default()));
        }
        let file = File::open(rows.file(repetitions)?)?;
        let bytes = file.metadata()?.len();
        let again = file.try_clone()?;
        let source = F::source(file)?;
        let cached = cache::cached_bytes(&again);
        let mut codec = C::default();
        let (outcome, reading) = M::around(|| T::each(&mut codec, source, visit));
        outcome?;
        Ok((reading, Stock { bytes, cached }))
    }

    fn provide<C: RowFile<R>, R>(rows: &Stored<C, R>, repetitions: u64) -> Result<(), Failure> {
        for repetitions in [1, repetitions].into_iter().filter(|&n| n > 0) {
            rows.file(repetitions)?;
        }
        Ok(())
    }
}

impl Place for Memory {
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure> {
        let mut target = Cursor::new(Vec::with_capacity(rows.bytes.len()));
        let mut codec = C::default();
        let (outcome, reading) = M::around(|| {
            (0..repetitions).try_for_each(|_| {
                target.set_position(0);
                target.get_mut().clear();
                write_all(&mut codec, black_box(rows).rows.iter(), &mut target)
            })
        });
        outcome?;
        Ok((reading, Written::Bytes(black_box(target).into_inner())))
    }

    fn read<C: RowFile<R>, R, T: Take, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, Stock), Failure> {
        let mut codec = C::default();
        let (outcome, reading) = M::around(|| {
            (0..repetitions).try_for_each(|_| {
                let bytes = Cursor::new(black_box(rows.bytes.as_slice()));
                T::each(&mut codec, bytes, &mut visit)
            })
        });
        outcome?;
        let bytes = rows.bytes.len() as u64;
        Ok((
            reading,
            Stock {
                bytes,
                cached: None,
            },
        ))
    }

    fn provide<C: RowFile<R>, R>(_: &Stored<C, R>, _: u64) -> Result<(), Failure> {
        Ok(())
    }
}

#[inline(never)]
fn write_all<'r, C: RowFile<R>, R, T: Target>(
    codec: &mut C,
    rows: impl Iterator<Item = &'r C::Row>,
    target: &mut T,
) -> Result<(), Failure> {
    codec.write(rows, target)
}

struct Writing<C: RowFile<R>, R, P> {
    rows: Stored<C, R>,
    counts: FileCounts,
    place: PhantomData<P>,
}

impl<C: RowFile<R>, R: Message, P: Place> Workload for Writing<C, R, P> {
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        let (outcome, calls) = calls::count(|| P::write(&self.rows, repetitions));
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

    fn allocations(&self) -> Result<Allocations, String> {
        let (allocations, written) = P::write(&self.rows, 1).map_err(text)?;
        written.remove().map_err(text)?;
        Ok(allocations)
    }

    /// What reading gives of a file that was written as in the loop, with one pass over the rows.
    fn product(&mut self, _: bool) -> Result<Product, String> {
        let (_, written): (Lap, _) = P::write(&self.rows, 1).map_err(text)?;
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

struct Reading<C: RowFile<R>, R, P, T> {
    rows: Stored<C, R>,
    counts: FileCounts,
    place: PhantomData<(P, T)>,
}

impl<C: RowFile<R>, R: Message, P: Place, T: Take> Workload for Reading<C, R, P, T> {
    fn provide(&mut self, repetitions: u64) -> Result<(), String> {
        P::provide(&self.rows, repetitions).map_err(text)
    }

    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        let mut visited = 0_u64;
        let (outcome, calls) = calls::count(|| {
            P::read::<C, R, T, _>(&self.rows, repetitions, |view| {
                visited += 1;
                black_box(&view);
                Ok(())
            })
        });
        let (lap, stock) = outcome.map_err(text)?;
        self.counts = FileCounts {
            rows: if T::FILTERS {
                repetitions * self.rows.rows.len() as u64
            } else {
                visited
            },
            rows_matched: T::FILTERS.then_some(visited),
            file_bytes: stock.bytes,
            cached_bytes: stock.cached,
            calls,
        };
        Ok(lap)
    }

    fn allocations(&self) -> Result<Allocations, String> {
        let read = P::read::<C, R, T, _>(&self.rows, 1, |view| {
            black_box(&view);
            Ok(())
        });
        read.map_err(text).map(|(allocations, _)| allocations)
    }

    /// What a pass over the rows gives, read as in the loop.
    fn product(&mut self, _: bool) -> Result<Product, String> {
        let mut product = Product::new(true);
        P::read::<C, R, T, Lap>(&self.rows, 1, record::<C, R>(&mut product)).map_err(text)?;
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
