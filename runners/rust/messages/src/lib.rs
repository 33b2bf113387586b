//! The message types that all serde codecs share, and which scenarios each serves.
//!
//! A codec whose library has derives of its own declares the same messages itself. The order of fields and variants
//! is part of a message, since some formats write nothing else.

mod data_size;
pub mod logs;
mod raw;
mod scenarios;
mod serve;
mod types;

pub use data_size::DataSize;
pub use logs::serve_logs;
pub use raw::Raw;
pub use scenarios::{ENUM_FIELDS, LARGE_VECTORS, LONG_STRINGS, POINT, PROCESS_CREATED};
pub use serve::{Shared, Visit, serve, serve_borrowed, visit_shared};
pub use types::{
    Color, EnumFields, LargeVectors, LongStrings, LongStringsRef, Math, Negative, Point,
    ProcessCreated, ProcessCreatedRef,
};
