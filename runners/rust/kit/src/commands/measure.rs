//! `measure`: times one cell.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::base::allocation::Allocations;
use crate::base::failure::Failure;
use crate::base::{canonical, heap, nanoseconds};
use crate::commands::arguments::Measure;
use crate::measuring::cell::{self, Cell};
use crate::measuring::chain::{self, Canaries, Link};
use crate::measuring::prepare::{Prepared, Setting};

/// A line of the samples file. Times are in nanoseconds; allocations are those of one repetition.
#[derive(Serialize)]
struct Sample<'a> {
    wall_ns: u64,
    cpu_ns: u64,
    canary_before_ns: u64,
    canary_after_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_before_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_after_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    involuntary_switches: Option<u64>,
    repetitions: u64,
    encoded_bytes: u64,
    checksum: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocated_bytes: Option<u64>,
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

/// What all samples of a process share.
struct Shared {
    repetitions: u64,
    encoded_bytes: u64,
    checksum: String,
    /// None where the library's are not seen.
    allocations: Option<Allocations>,
}

impl Shared {
    fn sample(&self, link: &Link) -> Sample<'_> {
        let counts = link.counts;
        Sample {
            wall_ns: nanoseconds(link.lap.wall),
            cpu_ns: nanoseconds(link.lap.cpu),
            canary_before_ns: link.before.kernel_ns,
            canary_after_ns: link.after.kernel_ns,
            copy_before_ns: link.before.copy_ns,
            copy_after_ns: link.after.copy_ns,
            involuntary_switches: link.involuntary_switches,
            repetitions: self.repetitions,
            encoded_bytes: self.encoded_bytes,
            checksum: &self.checksum,
            allocations: self.allocations.map(|seen| seen.allocations),
            allocated_bytes: self.allocations.map(|seen| seen.allocated_bytes),
            rows: counts.map(|c| c.rows),
            rows_matched: counts.and_then(|c| c.rows_matched),
            file_bytes: counts.map(|c| c.file_bytes),
            cached_bytes: counts.and_then(|c| c.cached_bytes),
            read_calls: counts.and_then(|c| c.calls).map(|c| c.reads),
            write_calls: counts.and_then(|c| c.calls).map(|c| c.writes),
        }
    }
}

/// Prepares the cell, warms up, times a chain of `samples` loops, and only then makes the product and writes the
/// samples.
///
/// The work outside the timed loops does not depend on the number of repetitions, so that two processes differ by
/// their loops alone. (drop=outside is the exception: its drops are outside the loops.)
///
/// Allocations are reported only if all of them are `seen`.
pub fn measure(cells: &[Cell], arguments: &Measure, seen: bool) -> Result<(), Failure> {
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
    let lines = time(cell, &json, arguments, seen).map_err(|message| Failure::Malformed {
        command: "measure",
        scenario: cell.scenario,
        message,
    })?;
    // In one call, so that a killed process leaves all samples or none.
    out.write_all(&lines).map_err(|error| Failure::Io {
        what: format!("append to {}", arguments.out.display()),
        error,
    })
}

/// The lines of the samples file.
fn time(cell: &Cell, json: &[u8], arguments: &Measure, seen: bool) -> Result<Vec<u8>, String> {
    heap::keep();
    heap::shift(arguments.offset);
    let setting = Setting {
        rows: cell.rows,
        work: &arguments.work,
    };
    let Prepared {
        mut workload,
        encoded_bytes,
    } = (cell.prepare)(setting, json)?;
    workload.prepare(arguments.repetitions)?;
    heap::fill();
    let allocations = workload.allocations()?;
    let mut canaries = Canaries::new(arguments.copy_canary);
    workload.repeat(arguments.warmup)?;
    let mut lines = Vec::new();
    if arguments.samples == 0 {
        return Ok(lines);
    }
    let links = chain::run(
        &mut *workload,
        &mut canaries,
        arguments.repetitions,
        arguments.samples,
    )?;
    let shared = Shared {
        repetitions: arguments.repetitions,
        encoded_bytes,
        checksum: workload.product(cell.rows)?.checksum(),
        allocations: seen.then_some(allocations),
    };
    for link in &links {
        canonical::write(&shared.sample(link), &mut lines)?;
    }
    Ok(lines)
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
