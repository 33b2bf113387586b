//! A message as raw bytes, for the control that only copies.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use wirelab_kit::files::{Failure, RowMessage};
use wirelab_kit::{Message, Scenario};

use crate::data_size::DataSize;

/// As many bytes as the data of a message `T`. It is read from the canonical JSON of a `T`.
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
            // Not zeros, for which the operating system may share one page.
            bytes: vec![0xA5; value.data_size()],
            message: PhantomData,
        }
    }
}

impl<T> From<&[u8]> for Raw<T> {
    fn from(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
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

/// Raw rows in files: the cost of writing and reading their bytes. They cannot be filtered.
#[derive(Default)]
#[allow(dead_code, reason = "a set of types may have no rows of files")]
pub struct RawRows;

impl<T: 'static> RowMessage<Raw<T>> for RawRows {
    type View<'a> = &'a [u8];

    fn encode(&mut self, row: &Raw<T>, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        buffer.extend_from_slice(&row.bytes);
        Ok(())
    }

    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Failure> {
        Ok(bytes)
    }

    fn select<'a>(&mut self, _: &'a [u8]) -> Result<Option<&'a [u8]>, Failure> {
        Ok(None)
    }

    fn owned(bytes: &[u8]) -> Result<Raw<T>, Failure> {
        Ok(bytes.into())
    }
}

impl<T: Message + DataSize> Message for Raw<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
    const FEATURES: &'static [&'static str] = T::FEATURES;
}
