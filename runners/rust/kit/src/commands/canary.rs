//! `canary`: how long the canaries take while nothing else is done.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::base::canary;
use crate::base::canonical;
use crate::base::failure::Failure;
use crate::commands::arguments::Canary;
use crate::measuring::chain::Canaries;

#[derive(Serialize)]
struct Times {
    canary: &'static str,
    canary_ns: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_ns: Option<Vec<u64>>,
}

/// The times of canaries as one line of JSON: one canary at least, after one that is not kept.
pub fn canary(arguments: &Canary) -> Result<Vec<u8>, Failure> {
    let times = run(arguments.seconds, arguments.copy);
    let mut json = Vec::new();
    canonical::write(&times, &mut json).map_err(Failure::Internal)?;
    Ok(json)
}

fn run(duration: Duration, copy_bytes: usize) -> Times {
    let mut canaries = Canaries::new(copy_bytes);
    let mut times = Times {
        canary: canary::NAME,
        canary_ns: Vec::new(),
        copy_ns: (copy_bytes > 0).then(Vec::new),
    };
    canaries.run();
    let start = Instant::now();
    loop {
        let canary = canaries.run();
        times.canary_ns.push(canary.kernel_ns);
        if let Some(copies) = &mut times.copy_ns {
            copies.extend(canary.copy_ns);
        }
        if start.elapsed() >= duration {
            return times;
        }
    }
}
