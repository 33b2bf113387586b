//! How libraries pass through serde what serde has no word for: names that they look for.

/// A value with a number: the enum, the variant with both, of ciborium.
pub const TAG: &str = "@@TAG@@";
pub const TAGGED: &str = "@@TAGGED@@";

/// Bytes with a number: the newtype around (i8, bytes), of rmp-serde.
pub const EXT: &str = "_ExtStruct";

/// A date or time: the struct and its only field, of toml.
pub const DATETIME: &str = "$__toml_private_Datetime";
pub const DATETIME_TEXT: &str = "$__toml_private_datetime";
