//! Scenarios whose rows are written to a file, read and filtered.
//!
//! A codec implements [`RowFile`], or [`RowMessage`] where it knows messages only and the kit is to frame them. The kit
//! opens the files, puts the condition `io` around them, times, counts and records.

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

/// How a codec keeps the rows of type `R` in a file.
pub trait RowFile<R>: Default + 'static {
    /// What is written: the row itself, or what the codec makes of it before the clock starts.
    type Row: 'static;
    /// What reading a row gives, before anybody asks for a copy.
    type View<'a>;

    /// Makes a row ready to be written. Outside the clock.
    fn row(value: R) -> Result<Self::Row, Failure>;

    /// Writes rows to a file, which is empty.
    fn write<'r, T: Target>(
        &mut self,
        rows: impl Iterator<Item = &'r Self::Row>,
        file: &mut T,
    ) -> Result<(), Failure>;

    /// Shows each row of a file to `visit`, in order.
    fn read<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Self::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// Shows the rows of a file that the scenario's filter takes to `visit`, in order.
    fn filter<S: Source>(
        &mut self,
        file: S,
        visit: impl FnMut(Self::View<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// The row that was read. Outside the clock.
    fn owned(view: Self::View<'_>) -> Result<R, Failure>;
}

/// A row that a scenario's filter takes or leaves.
pub trait Matches {
    fn matches(&self) -> bool;
}
