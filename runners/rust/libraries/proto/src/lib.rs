//! What the libraries of Protocol Buffers share: conversions, and what messages have in the place of what they lack.

pub mod conversion;

use wirelab_kit::Limit;

/// What Protocol Buffers have in the place of what they lack.
pub const INSTEAD: &[Limit] = &[
    ("list-message", "a message around the list"),
    ("nested-list", "a message around each element"),
    ("option-in-list", "a message around each element"),
    ("tuple", "a message with a field an element"),
    ("u128", "the little-endian bytes"),
    (
        "wide-enum",
        "an integer of 64 bits: an enumeration of Protocol Buffers has 32",
    ),
];
