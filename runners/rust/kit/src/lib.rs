//! The kit of Wirelab's Rust runners: the command line, the timed loops and the reports.
//!
//! A codec implements [`Codec`] and the traits of what its library can do, and hands its capabilities to a
//! [`Runner`]. Nothing here knows a codec or a scenario by name, and no measured library is linked.

mod allocation;
mod arguments;
mod call;
pub mod canonical;
mod cell;
mod codec;
mod compression;
mod describe;
mod failure;
pub mod files;
mod frames;
mod lockfile;
mod measure;
pub mod prepare;
mod product;
mod program;
mod runner;
mod step;
mod timing;
mod transcode;
mod workload;

pub use allocation::Allocator;
pub use codec::{
    Borrowable, Buffer, Codec, Decode, DecodeInto, Encode, Input, InputOf, Message, Preallocated,
    Scenario,
};
pub use describe::About;
pub use product::Product;
pub use runner::Runner;
pub use step::Step;
