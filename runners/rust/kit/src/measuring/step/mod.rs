//! What one repetition does with one message: each operation under each of its conditions, written once.
//!
//! A step is all that lies inside the timed loop besides the loop itself. The same code makes the product whose checksum
//! is reported.

mod access;
mod build;
mod convert;
mod deserialize;
mod round_trip;
mod serialize;

use std::fmt::Display;
use std::hint::black_box;

use crate::model::product::Product;

pub use access::{AccessInPlace, AccessNamed, AccessRoot};
pub use build::{Build, BuildSerialize};
pub use convert::DeserializeConvert;
pub use deserialize::{DeserializeBorrowed, DeserializeExisting, DeserializeOwned};
pub use round_trip::{RoundTripBorrowed, RoundTripCompressed, RoundTripExisting, RoundTripOwned};
pub use serialize::{SerializeFresh, SerializeReused};

/// Turns one input into one output. Its fields are the reused buffers, which are empty by default.
pub trait Step: Default + 'static {
    type Input: ?Sized;
    /// What is dropped inside the clock, or kept to be dropped outside.
    type Output<'a>;
    type Error: Display;

    fn step<'a>(&'a mut self, input: &'a Self::Input) -> Result<Self::Output<'a>, Self::Error>;

    /// What the timed loop repeats: makes an output, keeps the optimizer from removing it, and drops it in place, since
    /// moving it out of the result would copy it.
    #[inline]
    fn run<'a>(&'a mut self, input: &'a Self::Input) -> Result<(), Self::Error> {
        let output = self.step(input);
        black_box(&output);
        match output {
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds `output` to what `encode` or `decode` would print.
    fn record(output: &Self::Output<'_>, product: &mut Product) -> Result<(), String>;
}

/// `Default` without the bound `T: Default` of `#[derive(Default)]`, for steps that hold no value.
macro_rules! start_empty {
    ($($step:ident { $($buffer:ident)? })*) => {$(
        impl<C: Codec, T> Default for $step<C, T> {
            fn default() -> Self {
                Self {
                    codec: C::default(),
                    $($buffer: C::Buffer::default(),)?
                    message: PhantomData,
                }
            }
        }
    )*};
}

use start_empty;
