//! What knows neither codecs nor cells: the allocator, the system's counters, canonical JSON, framing, failures.

pub mod allocation;
pub mod cache;
pub mod calls;
pub mod canonical;
pub mod failure;
pub mod frames;
pub mod lockfile;
