//! The kit of Wirelab's Rust runners: the command line, the timed loops and the reports.
//!
//! A codec implements [`Codec`] and one trait for each capability of its library, and offers its message types through
//! a [`Runner`]. No module of the kit names a codec or a scenario, and the kit links no measured library.
//!
//! The modules are layers, each of which imports only those before it: `base`, `schemaless`, `model`, `measuring`,
//! [`files`], `commands`, `runner`.

#[doc(hidden)]
pub use serde;

mod base;
mod canonical_through;
mod commands;
pub mod files;
mod measuring;
mod model;
mod runner;
mod schemaless;

pub use base::allocation::Allocator;
pub use base::canonical;
pub use commands::describe::{About, Limit, Role};
pub use measuring::prepare;
pub use measuring::step::Step;
pub use model::buffer::{Buffer, Input, Preallocated};
pub use model::codec::{Access, Codec, Decode, DecodeInto, Encode, InputOf, StoredOf, Update};
pub use model::look::{Fields, Look, Looked, Octets};
pub use model::message::{Borrowable, Message, Scenario};
pub use model::product::Product;
pub use runner::Runner;
pub use schemaless::Any;
