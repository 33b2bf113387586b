//! Message types, the scenarios that they serve, and how their values are read.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::canonical;

/// A message type. Its serde implementations are its canonical JSON.
pub trait Message: Serialize + DeserializeOwned + 'static {
    /// The scenarios whose values are of this type.
    const SCENARIOS: &'static [Scenario];

    /// What the type has that not every library can take, by the names of the lab: `map`, `u128`, …
    const FEATURES: &'static [&'static str];
}

/// A message type that has a borrowed form.
pub trait Borrowable: Message {
    /// The same message, borrowed from its encoded bytes. Its canonical JSON is the same.
    type Borrowed<'a>: Serialize;
}

/// A scenario of the lab, by its name in schemas/scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    pub name: &'static str,
    /// Whether the input is many messages in JSON Lines; otherwise it is one message in JSON.
    pub rows: bool,
}

impl Scenario {
    /// A scenario of one message.
    pub const fn single(name: &'static str) -> Self {
        Self { name, rows: false }
    }

    /// A scenario of many messages, all of which are handled in each repetition.
    pub const fn rows(name: &'static str) -> Self {
        Self { name, rows: true }
    }
}

/// The values in a scenario's canonical JSON: one, or with rows one a line.
pub fn read<T: Message>(rows: bool, json: &[u8]) -> Result<Vec<T>, String> {
    let values = if rows {
        canonical::read_lines(json)?
    } else {
        vec![canonical::read(json)?]
    };
    if values.is_empty() {
        return Err("the input has no rows".to_owned());
    }
    Ok(values)
}
