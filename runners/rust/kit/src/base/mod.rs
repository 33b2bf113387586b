//! What knows neither codecs nor cells: the allocator, the canary, the system's counters, canonical JSON, framing,
//! failures.

pub mod allocation;
pub mod cache;
pub mod calls;
pub mod canary;
pub mod canonical;
pub mod failure;
pub mod frames;
pub mod heap;
pub mod lockfile;
pub mod switches;

use std::time::Duration;

/// Saturates after 584 years.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
