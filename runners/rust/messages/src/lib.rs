//! The message types that all serde codecs share, with the scenarios of each.
//!
//! A codec whose library has its own derives declares the same messages itself. The order of fields and variants is part
//! of a message: some formats encode nothing else.

pub mod arrays;
mod data_size;
pub mod logs;
mod raw;
mod scenarios;
mod serve;
mod types;

pub use arrays::{serve_arrays, serve_arrays_existing};
pub use data_size::DataSize;
pub use logs::serve_logs;
pub use raw::Raw;
pub use scenarios::{
    ARRAY_F32, ARRAY_F64, ARRAY_U16, ARRAY_U32, ARRAY_U64, ENUM_FIELDS, LARGE_VECTORS,
    LONG_STRINGS, NESTED_OBJECT, POINT, PROCESS_CREATED,
};
pub use serve::{Shared, Visit, serve, serve_borrowed, visit_shared};
pub use types::{
    Color, EnumFields, LargeVectors, LongStrings, LongStringsRef, Math, Negative, Point,
    ProcessCreated, ProcessCreatedRef,
};
