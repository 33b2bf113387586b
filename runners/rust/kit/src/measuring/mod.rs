//! Cells and their timed loops.

pub mod call;
pub mod cell;
pub mod chain;
pub mod prepare;
pub mod step;
pub mod timing;
pub mod workload;
