//! A message's data without its meaning, for the control that only copies.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use wirelab_kit::{Message, Scenario};

use crate::data_size::DataSize;
use crate::serve::Shared;

/// As many bytes as the message `T` has data. It is read from the canonical JSON of a `T`.
#[derive(Serialize, Deserialize)]
#[serde(from = "T", bound = "T: DataSize + for<'a> Deserialize<'a>")]
pub struct Raw<T> {
    pub bytes: Vec<u8>,
    #[serde(skip)]
    message: PhantomData<T>,
}

impl<T: DataSize> From<T> for Raw<T> {
    fn from(value: T) -> Self {
        Self {
            // Not zeros, of which the operating system may keep one page for all.
            bytes: vec![0xA5; value.data_size()],
            message: PhantomData,
        }
    }
}

impl<T> Default for Raw<T> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            message: PhantomData,
        }
    }
}

impl<T: Shared> Message for Raw<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
}
