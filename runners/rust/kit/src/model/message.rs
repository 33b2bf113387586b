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

    /// Whether a scenario has many messages, whether one has a single message, whether one is measured, and whether one
    /// names fields or updates some: of what is not there, nothing is compiled.
    const HAS_ROWS: bool = any(Self::SCENARIOS, What::Rows);
    const HAS_SINGLE: bool = any(Self::SCENARIOS, What::Single);
    const IS_MEASURED: bool = any(Self::SCENARIOS, What::Measured);
    const NAMES_FIELDS: bool = any(Self::SCENARIOS, What::Naming);
    const IS_UPDATED: bool = any(Self::SCENARIOS, What::Updating);

    /// Reads the one value that canonical JSON holds. Shared types have this compiled once, for all codecs' programs.
    fn read_canonical(json: &[u8]) -> Result<Self, String> {
        canonical::read(json)
    }

    /// Appends the value and a line end to canonical JSON.
    fn write_canonical(&self, json: &mut Vec<u8>) -> Result<(), String> {
        canonical::write(self, json)
    }
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
    /// Whether operations are timed; otherwise messages are only encoded and decoded.
    pub measured: bool,
    /// Whether it names fields that are accessed apart from the others.
    pub naming: bool,
    /// Whether it says which fields are updated in place.
    pub updating: bool,
}

impl Scenario {
    /// A scenario of one message.
    pub const fn single(name: &'static str) -> Self {
        Self {
            name,
            rows: false,
            measured: true,
            naming: false,
            updating: false,
        }
    }

    /// A scenario of many messages, all of which are handled in each repetition.
    pub const fn rows(name: &'static str) -> Self {
        Self {
            name,
            rows: true,
            measured: true,
            naming: false,
            updating: false,
        }
    }

    /// A scenario of one message that is encoded and decoded, and not measured.
    pub const fn exchanged(name: &'static str) -> Self {
        Self {
            name,
            rows: false,
            measured: false,
            naming: false,
            updating: false,
        }
    }

    /// The same, with fields that are accessed apart from the others.
    pub const fn naming(self) -> Self {
        Self {
            naming: true,
            ..self
        }
    }

    /// The same, with fields that are updated in place.
    pub const fn updating(self) -> Self {
        Self {
            updating: true,
            ..self
        }
    }
}

/// Whether one of the scenarios is what is asked for.
const fn any(scenarios: &[Scenario], what: What) -> bool {
    let mut rest = scenarios;
    while let [first, others @ ..] = rest {
        let is = match what {
            What::Rows => first.rows,
            What::Single => !first.rows,
            What::Measured => first.measured,
            What::Naming => first.naming,
            What::Updating => first.updating,
        };
        if is {
            return true;
        }
        rest = others;
    }
    false
}

/// What [`any`] asks of a scenario: a constant function cannot be given another one.
enum What {
    Rows,
    Single,
    Measured,
    Naming,
    Updating,
}

/// The values in a scenario's canonical JSON: one, or with rows one a line.
pub fn read<T: Message>(rows: bool, json: &[u8]) -> Result<Vec<T>, String> {
    let values = if rows {
        canonical::each_line(json, T::read_canonical)?
    } else {
        vec![T::read_canonical(json)?]
    };
    if values.is_empty() {
        return Err("the input has no rows".to_owned());
    }
    Ok(values)
}
