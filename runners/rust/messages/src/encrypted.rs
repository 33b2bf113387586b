//! Rows that are encrypted in their files, in the scenarios that have keys.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use wirelab_kit::files::Matches;
use wirelab_kit::{Message, Scenario};

use crate::data_size::DataSize;

/// A row of which a part, at least, is encrypted in the file. Its canonical JSON is that of the row.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encrypted<T>(pub T);

/// A message type that scenarios with keys have.
pub trait Encryptable: Message {
    /// Those scenarios.
    const SCENARIOS: &'static [Scenario];
}

impl<T: Encryptable> Message for Encrypted<T> {
    const SCENARIOS: &'static [Scenario] = <T as Encryptable>::SCENARIOS;
    const FEATURES: &'static [&'static str] = T::FEATURES;
}

impl<T: Matches> Matches for Encrypted<T> {
    fn matches(&self) -> bool {
        self.0.matches()
    }
}

impl<T: DataSize> DataSize for Encrypted<T> {
    fn data_size(&self) -> usize {
        self.0.data_size()
    }
}

impl<T> Deref for Encrypted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Encrypted<T> {
    fn from(row: T) -> Self {
        Self(row)
    }
}
