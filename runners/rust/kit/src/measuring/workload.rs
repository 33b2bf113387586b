//! A cell that is ready to be measured: its step, with all its inputs in memory.

use std::borrow::Borrow;
use std::fmt::Display;
use std::marker::PhantomData;

use crate::base::allocation::{self, Allocations};
use crate::base::calls::Calls;
use crate::measuring::call;
use crate::measuring::step::Step;
use crate::measuring::timing::{self, BATCH, Inputs, Lap};
use crate::model::buffer::Input;
use crate::model::codec::{InputOf, StoredOf, Update};
use crate::model::product::Product;

/// What `measure` does with a cell, whatever its codec, messages and step are.
pub trait Workload {
    /// Prepares what the timed loop needs, where that depends on its repetitions.
    fn prepare(&mut self, _repetitions: u64) -> Result<(), String> {
        Ok(())
    }

    /// The timed loop.
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String>;

    /// What one repetition allocates in the steady state, which the timed loop then begins in: buffers have grown.
    fn allocations(&mut self) -> Result<Allocations, String>;

    /// What a repetition produces.
    ///
    /// The loop keeps no product, since that would cost a branch or a copy within it. Instead, this runs one more
    /// repetition, untimed: the same step on the same inputs, with the buffers that the loop left behind. The work is
    /// the same after a loop of no repetitions, so that the driver can subtract one process from the other.
    fn product(&mut self, rows: bool) -> Result<Product, String>;

    /// What the last timed loop did with files; None for a workload without files.
    fn counts(&self) -> Option<FileCounts> {
        None
    }
}

/// What a timed loop did with files.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileCounts {
    /// Rows written or read, or scanned by a filter.
    pub rows: u64,
    /// Rows that matched a filter.
    pub rows_matched: Option<u64>,
    /// The size of the file, or of the one pass that is in memory.
    pub file_bytes: u64,
    /// How much of the file the system's cache held when reading began; None where the system does not tell, or nothing
    /// was read.
    pub cached_bytes: Option<u64>,
    /// System calls that read and write; None where the system does not count them.
    pub calls: Option<Calls>,
}

/// A workload whose outputs are dropped inside the clock.
pub struct DropInside<S, I> {
    step: S,
    inputs: I,
}

impl<S: Step, I> DropInside<S, I> {
    pub fn new(inputs: I) -> Self {
        Self {
            step: S::default(),
            inputs,
        }
    }
}

impl<S: Step, I: Inputs<S::Input>> Workload for DropInside<S, I> {
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        timing::repeat(&mut self.step, &self.inputs, repetitions).map_err(text)
    }

    fn allocations(&mut self) -> Result<Allocations, String> {
        of_a_repetition(self)
    }

    fn product(&mut self, rows: bool) -> Result<Product, String> {
        record(&mut self.step, &self.inputs, rows)
    }
}

/// A workload whose outputs are dropped outside the clock.
pub struct DropOutside<S, I, O> {
    step: S,
    inputs: I,
    kept: Vec<O>,
}

impl<S: Step, I, O> DropOutside<S, I, O> {
    pub fn new(inputs: I) -> Self {
        Self {
            step: S::default(),
            inputs,
            kept: Vec::with_capacity(BATCH),
        }
    }
}

impl<S, I, O> Workload for DropOutside<S, I, O>
where
    S: for<'a> Step<Output<'a> = O>,
    I: Inputs<S::Input>,
{
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        timing::repeat_keeping(&mut self.step, &self.inputs, repetitions, &mut self.kept)
            .map_err(text)
    }

    fn allocations(&mut self) -> Result<Allocations, String> {
        of_a_repetition(self)
    }

    fn product(&mut self, rows: bool) -> Result<Product, String> {
        record(&mut self.step, &self.inputs, rows)
    }
}

/// A workload that changes its messages in place: one as an array, which is iterated over at no cost, or many.
///
/// Each repetition changes what the one before left behind. A value that is written is the same each time; one that is
/// multiplied moves on, and wraps.
pub struct UpdateInPlace<C: Update<T>, T, M> {
    codec: C,
    messages: M,
    /// The messages as they were encoded.
    encoded: Vec<StoredOf<C>>,
    of: PhantomData<T>,
}

impl<C: Update<T>, T, M> UpdateInPlace<C, T, M> {
    pub fn new(messages: M, encoded: Vec<StoredOf<C>>) -> Self {
        Self {
            codec: C::default(),
            messages,
            encoded,
            of: PhantomData,
        }
    }
}

impl<C: Update<T>, T, M: AsMut<[StoredOf<C>]>> Workload for UpdateInPlace<C, T, M> {
    fn repeat(&mut self, repetitions: u64) -> Result<Lap, String> {
        timing::repeat_in_place::<C, T>(&mut self.codec, &mut self.messages, repetitions)
            .map_err(text)
    }

    fn allocations(&mut self) -> Result<Allocations, String> {
        of_a_repetition(self)
    }

    /// One repetition on the messages as they were encoded, so that it does not matter how many the loop had.
    fn product(&mut self, rows: bool) -> Result<Product, String> {
        let mut product = Product::new(rows);
        for encoded in &self.encoded {
            let mut message = copy::<InputOf<C>>(encoded.borrow());
            call::update::<C, T>(&mut self.codec, &mut message).map_err(text)?;
            let updated: &InputOf<C> = message.borrow();
            product.message(updated.as_bytes())?;
        }
        Ok(product)
    }
}

/// The same bytes in memory of their own.
pub fn copy<I: Input + ?Sized>(message: &I) -> I::Stored {
    I::store(message.as_bytes())
}

/// What the second repetition allocates. Compiled once, for all workloads.
fn of_a_repetition(workload: &mut dyn Workload) -> Result<Allocations, String> {
    workload.repeat(1)?;
    let (lap, allocations) = allocation::count(|| workload.repeat(1));
    lap.map(|_| allocations)
}

/// Runs one repetition and records its outputs.
fn record<S: Step>(
    step: &mut S,
    inputs: &impl Inputs<S::Input>,
    rows: bool,
) -> Result<Product, String> {
    let mut product = Product::new(rows);
    inputs.each(|input| S::record(&step.step(input).map_err(text)?, &mut product))?;
    Ok(product)
}

fn text(error: impl Display) -> String {
    error.to_string()
}
