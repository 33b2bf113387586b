//! Where the rows of a timed loop are: in a file, or in memory.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

use super::io::{Buffered, Files};
use super::{Failure, RowFile, Source, Target};
use crate::base::allocation::{self, Allocations};
use crate::base::cache;
use crate::measuring::timing::{Clock, Lap};

/// Which rows a loop visits: all, or those that match the scenario's filter.
pub trait Selection: 'static {
    const FILTERS: bool;

    fn each<C: RowFile<R>, R>(
        codec: &mut C,
        source: impl Source,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;
}

pub struct All;
pub struct Matching;

impl Selection for All {
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

impl Selection for Matching {
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

/// The rows, the bytes of one pass over them, and the folder for files.
pub struct Stored<C: RowFile<R>, R> {
    pub rows: Vec<C::Row>,
    pub bytes: Vec<u8>,
    pub work: PathBuf,
}

impl<C: RowFile<R>, R> Stored<C, R> {
    fn passes(&self, repetitions: u64) -> impl Iterator<Item = &C::Row> {
        (0..repetitions).flat_map(|_| self.rows.iter())
    }

    /// The path of a file that holds the rows `repetitions` times. The file is written if it does not exist.
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

/// Creates a file that can be read too, since some codecs read back what they write.
fn create(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

/// What is measured of a loop: its time, or its allocations.
pub trait Meter {
    fn measure<T>(work: impl FnOnce() -> T) -> (T, Self);
}

impl Meter for Lap {
    #[inline]
    fn measure<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let clock = Clock::start();
        let outcome = work();
        (outcome, clock.stop())
    }
}

impl Meter for Allocations {
    fn measure<T>(work: impl FnOnce() -> T) -> (T, Self) {
        allocation::count(work)
    }
}

/// What a loop wrote.
pub enum Written {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Written {
    /// Removes it and returns its size in bytes.
    pub fn remove(self) -> Result<u64, Failure> {
        match self {
            Self::File(path) => {
                let bytes = fs::metadata(&path)?.len();
                fs::remove_file(&path)?;
                Ok(bytes)
            }
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Removes it and returns its bytes.
    pub fn take(self) -> Result<Vec<u8>, Failure> {
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

/// The size of what a loop read.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputSize {
    pub bytes: u64,
    /// Those that the system's cache held when the clock started; None where the system does not tell.
    pub cached: Option<u64>,
}

/// io=memory: no file; each repetition writes or reads one pass over the rows in memory.
pub struct Memory;

/// Where the rows of a timed loop are: in a file under one of the conditions, or in memory.
pub trait Medium: 'static {
    /// Writes the rows `repetitions` times.
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure>;

    /// Reads the rows `repetitions` times.
    fn read<C: RowFile<R>, R, T: Selection, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, InputSize), Failure>;

    /// Prepares what [`Medium::read`] reads.
    fn prepare<C: RowFile<R>, R>(rows: &Stored<C, R>, repetitions: u64) -> Result<(), Failure>;
}

impl<F: Files> Medium for F {
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure> {
        let path = rows.work.join("written");
        let mut target = F::target(create(&path)?);
        let mut codec = C::default();
        let (outcome, reading) = M::measure(|| {
            write_all(&mut codec, rows.passes(black_box(repetitions)), &mut target)?;
            Ok::<_, Failure>(target.flush()?)
        });
        outcome?;
        Ok((reading, Written::File(path)))
    }

    fn read<C: RowFile<R>, R, T: Selection, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, InputSize), Failure> {
        if repetitions == 0 {
            return Ok((M::measure(|| ()).1, InputSize::default()));
        }
        let file = File::open(rows.file(repetitions)?)?;
        let bytes = file.metadata()?.len();
        let again = file.try_clone()?;
        let source = F::source(file)?;
        let cached = cache::cached_bytes(&again);
        let mut codec = C::default();
        let (outcome, reading) = M::measure(|| T::each(&mut codec, source, visit));
        outcome?;
        Ok((reading, InputSize { bytes, cached }))
    }

    fn prepare<C: RowFile<R>, R>(rows: &Stored<C, R>, repetitions: u64) -> Result<(), Failure> {
        for repetitions in [1, repetitions].into_iter().filter(|&n| n > 0) {
            rows.file(repetitions)?;
        }
        Ok(())
    }
}

impl Medium for Memory {
    fn write<C: RowFile<R>, R, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
    ) -> Result<(M, Written), Failure> {
        let mut target = Cursor::new(Vec::with_capacity(rows.bytes.len()));
        let mut codec = C::default();
        let (outcome, reading) = M::measure(|| {
            (0..repetitions).try_for_each(|_| {
                target.set_position(0);
                target.get_mut().clear();
                write_all(&mut codec, black_box(rows).rows.iter(), &mut target)
            })
        });
        outcome?;
        Ok((reading, Written::Bytes(black_box(target).into_inner())))
    }

    fn read<C: RowFile<R>, R, T: Selection, M: Meter>(
        rows: &Stored<C, R>,
        repetitions: u64,
        mut visit: impl FnMut(C::View<'_>) -> Result<(), Failure>,
    ) -> Result<(M, InputSize), Failure> {
        let mut codec = C::default();
        let (outcome, reading) = M::measure(|| {
            (0..repetitions).try_for_each(|_| {
                let bytes = Cursor::new(black_box(rows.bytes.as_slice()));
                T::each(&mut codec, bytes, &mut visit)
            })
        });
        outcome?;
        let bytes = rows.bytes.len() as u64;
        Ok((
            reading,
            InputSize {
                bytes,
                cached: None,
            },
        ))
    }

    fn prepare<C: RowFile<R>, R>(_: &Stored<C, R>, _: u64) -> Result<(), Failure> {
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
