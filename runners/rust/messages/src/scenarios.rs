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
/// A scenario with the points of its sweep, as in its file in schemas/scenarios.
macro_rules! swept {
    ($name:literal) => {
        &[
            Scenario::single($name),
            Scenario::single(concat!($name, "-16b")),
            Scenario::single(concat!($name, "-128b")),
            Scenario::single(concat!($name, "-1kib")),
            Scenario::single(concat!($name, "-8kib")),
            Scenario::single(concat!($name, "-64kib")),
            Scenario::single(concat!($name, "-512kib")),
            Scenario::single(concat!($name, "-4mib")),
            Scenario::single(concat!($name, "-32mib")),
            Scenario::single(concat!($name, "-64mib")),
        ]
    };
}

pub const NESTED_OBJECT: &[Scenario] = &[Scenario::single("nested-object")];
pub const ARRAY_F64: &[Scenario] = swept!("array-f64");
pub const ARRAY_F32: &[Scenario] = &[Scenario::single("array-f32")];
pub const ARRAY_U64: &[Scenario] = &[Scenario::single("array-u64")];
pub const ARRAY_U32: &[Scenario] = &[Scenario::single("array-u32")];
pub const ARRAY_U16: &[Scenario] = &[Scenario::single("array-u16")];
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
