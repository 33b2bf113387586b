//! `measure`: times one cell.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::base::canonical;
use crate::base::failure::Failure;
use crate::commands::arguments::Measure;
use crate::measuring::cell::{self, Cell};
use crate::measuring::prepare::Setting;

/// A line of the samples file. Times are in nanoseconds; allocations are those of one repetition.
#[derive(Serialize)]
struct Sample {
    wall_ns: u64,
    cpu_ns: u64,
    repetitions: u64,
    encoded_bytes: u64,
    checksum: String,
    allocations: u64,
    allocated_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_matched: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_calls: Option<u64>,
}

/// Prepares the cell, warms up, and times `samples` loops.
///
/// The work outside the timed loops does not depend on the number of repetitions, so that two processes differ by
/// their loops alone. (drop=outside is the exception: its drops are outside the loops.)
pub fn measure(cells: &[Cell], arguments: &Measure) -> Result<(), Failure> {
    let cell = cell::select(
        cells,
        &arguments.scenario,
        &arguments.operation,
        &arguments.conditions,
    )?;
    if !arguments.work.is_dir() {
        return Err(Failure::Usage(format!(
            "--work {} is not a folder; create it first",
            arguments.work.display()
        )));
    }
    let json = fs::read(&arguments.input).map_err(|error| Failure::Input {
        path: arguments.input.clone(),
        error,
    })?;
    let mut out = open(&arguments.out)?;

    let malformed = |message| Failure::Malformed {
        command: "measure",
        scenario: cell.scenario,
        message,
    };
    let setting = Setting {
        rows: cell.rows,
        work: &arguments.work,
    };
    let mut prepared = (cell.prepare)(setting, &json).map_err(malformed)?;
    prepared
        .workload
        .prepare(arguments.repetitions)
        .map_err(malformed)?;
    let allocations = prepared.workload.allocations().map_err(malformed)?;
    prepared
        .workload
        .repeat(arguments.warmup)
        .map_err(malformed)?;
    for _ in 0..arguments.samples {
        let lap = prepared
            .workload
            .repeat(arguments.repetitions)
            .map_err(malformed)?;
        let counts = prepared.workload.counts();
        let product = prepared.workload.product(cell.rows).map_err(malformed)?;
        let sample = Sample {
            wall_ns: nanoseconds(lap.wall),
            cpu_ns: nanoseconds(lap.cpu),
            repetitions: arguments.repetitions,
            encoded_bytes: prepared.encoded_bytes,
            checksum: product.checksum(),
            allocations: allocations.allocations,
            allocated_bytes: allocations.allocated_bytes,
            rows: counts.map(|c| c.rows),
            rows_matched: counts.and_then(|c| c.rows_matched),
            file_bytes: counts.map(|c| c.file_bytes),
            cached_bytes: counts.and_then(|c| c.cached_bytes),
            read_calls: counts.and_then(|c| c.calls).map(|c| c.reads),
            write_calls: counts.and_then(|c| c.calls).map(|c| c.writes),
        };
        append(&mut out, &sample, &arguments.out)?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<File, Failure> {
    File::options()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| Failure::Io {
            what: format!("open {}", path.display()),
            error,
        })
}

/// Writes a sample in one call, so that a killed process leaves only whole lines.
fn append(out: &mut File, sample: &Sample, path: &Path) -> Result<(), Failure> {
    let mut line = Vec::new();
    canonical::write(sample, &mut line).map_err(Failure::Internal)?;
    out.write_all(&line).map_err(|error| Failure::Io {
        what: format!("append to {}", path.display()),
        error,
    })
}

/// Saturates after 584 years.
fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
