//! The scenarios that each message type serves.

use wirelab_kit::Scenario;

pub const PROCESS_CREATED: &[Scenario] = &[
    Scenario::single("process-created"),
    Scenario::rows("process-created-corpus"),
];
pub const POINT: &[Scenario] = &[Scenario::single("point")];
pub const LONG_STRINGS: &[Scenario] = &[Scenario::single("long-strings")];
pub const LARGE_VECTORS: &[Scenario] = &[Scenario::single("large-vectors")];
pub const ENUM_FIELDS: &[Scenario] = &[Scenario::single("enum-fields")];
pub const LOG_TEXT: &[Scenario] = &[
    Scenario::rows("log-small"),
    Scenario::rows("log-small-unique"),
    Scenario::rows("log-early"),
];
pub const LOG_RECORD: &[Scenario] = &[Scenario::rows("log-large")];
pub const LOG_SECRET: &[Scenario] = &[
    Scenario::rows("log-large-crypted"),
    Scenario::rows("log-large-crypted-2048"),
];
pub const LOG_BLOCK: &[Scenario] = &[Scenario::rows("log-borrowed")];
