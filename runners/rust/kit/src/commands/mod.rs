//! The runner protocol: its command line, and a module for each of its commands.

pub mod any;
pub mod arguments;
pub mod canary;
pub mod describe;
pub mod measure;
pub mod program;
pub mod transcode;
