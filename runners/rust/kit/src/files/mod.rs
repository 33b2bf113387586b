//! Scenarios whose rows are written to a file, read and filtered.
//!
//! A codec with a file format of its own implements [`RowFile`]; one that encodes single messages implements
//! [`RowMessage`], and the kit frames them. The kit opens the files under each condition `io`, times and counts.

mod framed;
mod io;
mod keys;
mod lines;
mod loss;
mod medium;
mod message;
mod transcode;
mod workload;

use std::error::Error;

pub use framed::Framed;
pub use io::{Buffered, Cold, Published, Source, Target};
pub use keys::{key_file, set_key_folder};
pub use lines::{Lines, each_line};
pub use loss::{report_loss, reported_loss};
pub use medium::Memory;
pub use message::{Owned, RowMessage};
pub use transcode::{decode, encode, filter};
pub use workload::{filtering, reading, writing};

/// Why rows cannot be written or read.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A file format for rows of type `R`.
pub trait RowFile<R>: Default + 'static {
    /// What is written: the row itself, or what the codec prepares from it before the clock starts.
    type Row: 'static;
    /// What reading a row gives, before a copy is made.
    type View<'a>;

    /// Prepares a row to be written, outside the clock.
    fn row(value: R) -> Result<Self::Row, Failure>;

    /// Writes rows to an empty file.
    fn write<'r, T: Target>(
        &mut self,
        rows: impl Iterator<Item = &'r Self::Row>,
        file: &mut T,
    ) -> Result<(), Failure>;

    /// Passes each row of a file to `visit`, in order.
    fn read<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Self::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// Passes the rows of a file that match the scenario's filter to `visit`, in order.
    fn filter<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Self::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// The row that was read, outside the clock.
    fn owned(view: Self::View<'_>) -> Result<R, Failure>;
}

/// A row that a scenario can filter.
pub trait Matches {
    /// Whether the row matches the filter of its scenarios.
    fn matches(&self) -> bool;
}
