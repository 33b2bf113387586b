//! The clock and the timed loops.

use std::borrow::Borrow;
use std::hint::black_box;
use std::iter::repeat_n;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::measuring::call;
use crate::measuring::step::Step;
use crate::model::codec::{StoredOf, Update};

/// How many outputs are kept before they are dropped together, under drop=outside.
pub const BATCH: usize = 128;

/// How long a loop took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lap {
    /// By a monotonic clock.
    pub wall: Duration,
    /// Processor time of this thread. The CPU clock is read first and last, so that its cost is not in `wall`.
    pub cpu: Duration,
}

impl AddAssign for Lap {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// A running clock.
pub(crate) struct Clock {
    cpu: ThreadTime,
    wall: Instant,
}

impl Clock {
    #[inline]
    pub(crate) fn start() -> Self {
        Self {
            cpu: ThreadTime::now(),
            wall: Instant::now(),
        }
    }

    #[inline]
    pub(crate) fn stop(self) -> Lap {
        let wall = self.wall.elapsed();
        let cpu = self.cpu.elapsed();
        Lap { wall, cpu }
    }
}

/// The inputs of a repetition.
pub trait Inputs<I: ?Sized + 'static>: 'static {
    /// Calls `work` with each input.
    fn each<'a, E>(&'a self, work: impl FnMut(&'a I) -> Result<(), E>) -> Result<(), E>;

    /// Passes the inputs of all `repetitions` to `keeper`, at most [`BATCH`] at a time.
    fn keep<S, O>(&self, repetitions: u64, keeper: &mut Keeper<S, O>) -> Result<(), S::Error>
    where
        S: for<'a> Step<Input = I, Output<'a> = O>;
}

/// One message. Iterating over it costs nothing.
pub struct Single<M>(pub M);

impl<I: ?Sized + 'static, M: Borrow<I> + 'static> Inputs<I> for Single<M> {
    #[inline]
    fn each<'a, E>(&'a self, mut work: impl FnMut(&'a I) -> Result<(), E>) -> Result<(), E> {
        work(self.0.borrow())
    }

    fn keep<S, O>(&self, repetitions: u64, keeper: &mut Keeper<S, O>) -> Result<(), S::Error>
    where
        S: for<'a> Step<Input = I, Output<'a> = O>,
    {
        let batch = BATCH as u64;
        for first in (0..repetitions).step_by(BATCH) {
            let length = batch.min(repetitions - first) as usize;
            keeper.batch(repeat_n(self.0.borrow(), length))?;
        }
        Ok(())
    }
}

/// The messages of a row scenario.
pub struct Rows<M>(pub Vec<M>);

impl<I: ?Sized + 'static, M: Borrow<I> + 'static> Inputs<I> for Rows<M> {
    #[inline]
    fn each<'a, E>(&'a self, work: impl FnMut(&'a I) -> Result<(), E>) -> Result<(), E> {
        self.0.iter().map(Borrow::borrow).try_for_each(work)
    }

    fn keep<S, O>(&self, repetitions: u64, keeper: &mut Keeper<S, O>) -> Result<(), S::Error>
    where
        S: for<'a> Step<Input = I, Output<'a> = O>,
    {
        for _ in 0..repetitions {
            for batch in self.0.chunks(BATCH) {
                keeper.batch(batch.iter().map(Borrow::borrow))?;
            }
        }
        Ok(())
    }
}

/// The timed loop: every input, `repetitions` times; each output is dropped at once.
///
/// # Errors
/// The library's first error ends the loop, so that failed calls are never timed.
#[inline(never)]
pub fn repeat<S: Step>(
    step: &mut S,
    inputs: &impl Inputs<S::Input>,
    repetitions: u64,
) -> Result<Lap, S::Error> {
    let clock = Clock::start();
    for _ in 0..repetitions {
        inputs.each(|input| step.run(black_box(input)))?;
    }
    Ok(clock.stop())
}

/// The timed loop of `update`: every message is changed in place, `repetitions` times, and stays as the last one left it.
///
/// # Errors
/// As for [`repeat`].
#[inline(never)]
pub fn repeat_in_place<C: Update<T>, T>(
    codec: &mut C,
    messages: &mut impl AsMut<[StoredOf<C>]>,
    repetitions: u64,
) -> Result<Lap, C::DecodeError> {
    let clock = Clock::start();
    for _ in 0..repetitions {
        for message in messages.as_mut() {
            call::update::<C, T>(codec, black_box(message))?;
        }
    }
    Ok(clock.stop())
}

/// The timed loop under drop=outside: outputs are kept and dropped between batches, where no clock runs.
///
/// Both clocks are read once for each batch. The CPU clock costs a system call, which is within the CPU time alone.
///
/// # Errors
/// As for [`repeat`].
pub fn repeat_keeping<S, O>(
    step: &mut S,
    inputs: &impl Inputs<S::Input>,
    repetitions: u64,
    kept: &mut Vec<O>,
) -> Result<Lap, S::Error>
where
    S: for<'a> Step<Output<'a> = O>,
{
    let mut keeper = Keeper {
        step,
        kept,
        lap: Lap::default(),
    };
    inputs.keep(repetitions, &mut keeper)?;
    Ok(keeper.lap)
}

/// Times batches and keeps their outputs until the end of the batch.
pub struct Keeper<'s, S, O> {
    step: &'s mut S,
    /// Has capacity for [`BATCH`] outputs and is empty between batches.
    kept: &'s mut Vec<O>,
    lap: Lap,
}

impl<S: for<'a> Step<Output<'a> = O>, O> Keeper<'_, S, O> {
    #[inline(never)]
    fn batch<'i>(&mut self, inputs: impl Iterator<Item = &'i S::Input>) -> Result<(), S::Error> {
        let clock = Clock::start();
        for input in inputs {
            let output = self.step.step(black_box(input))?;
            self.kept.push(output);
        }
        black_box(&mut *self.kept);
        self.lap += clock.stop();
        self.kept.clear();
        Ok(())
    }
}
