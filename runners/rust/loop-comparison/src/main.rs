//! Compares the kit's timed loop with a plain one around the same calls:
//! `cargo run --release -p loop-comparison [ROUNDS]`.
//!
//! The two are programs of their own, launched in alternation, so that neither changes the other's code layout or
//! allocator and a machine that drifts moves both alike. No time is asserted; the table is for people.

use std::env::{self, consts::EXE_SUFFIX};
use std::error::Error;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// How often each pair is launched, unless the first argument says otherwise.
const ROUNDS: usize = 31;
/// Repetitions of a loop.
const REPETITIONS: u64 = 200_000;
/// Repetitions of the loop that does nothing.
const NOOP_REPETITIONS: u64 = 10_000_000;

const CODECS: [&str; 4] = ["postcard", "prost", "bincode", "serde-json"];
const OPERATIONS: [&str; 3] = ["serialize", "deserialize", "round-trip"];

/// What is needed of a sample.
#[derive(Deserialize)]
struct Sample {
    wall_ns: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = match env::args().nth(1) {
        Some(word) => word
            .parse::<NonZeroUsize>()
            .map_err(|error| format!("ROUNDS: {word}: {error}"))?
            .get(),
        None => ROUNDS,
    };
    let programs = Programs::new()?;
    programs.build()?;
    println!(
        "{:12} {:12} {:>9} {:>9}   kit/plain (median of {rounds} rounds, quartiles)",
        "codec", "operation", "kit ns", "plain ns"
    );
    for codec in CODECS {
        for operation in OPERATIONS {
            let mut kit = Vec::new();
            let mut plain = Vec::new();
            for _ in 0..rounds {
                kit.push(programs.kit(codec, operation, REPETITIONS)?);
                plain.push(programs.plain(codec, operation, REPETITIONS)?);
            }
            let ratios = sorted(kit.iter().zip(&plain).map(|(kit, plain)| kit / plain));
            println!(
                "{codec:12} {operation:12} {:9.2} {:9.2}   {:.3} [{:.3} - {:.3}]",
                median(&sorted(kit)),
                median(&sorted(plain)),
                median(&ratios),
                ratios[rounds / 4],
                ratios[rounds * 3 / 4],
            );
        }
    }
    for operation in OPERATIONS {
        let noop: Result<Vec<f64>, _> = (0..rounds)
            .map(|_| programs.kit("noop", operation, NOOP_REPETITIONS))
            .collect();
        println!(
            "{:12} {operation:12} {:9.2}",
            "noop",
            median(&sorted(noop?))
        );
    }
    fs::remove_dir_all(&programs.work)?;
    Ok(())
}

/// The canonical JSON of the message.
const INPUT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../messages/testdata/process-created.json"
);

/// The programs, and the files that they work on.
struct Programs {
    /// Cargo's target folder, which this program lies in.
    target: PathBuf,
    folder: PathBuf,
    work: PathBuf,
}

impl Programs {
    fn new() -> Result<Self, Box<dyn Error>> {
        let folder = env::current_exe()?
            .parent()
            .ok_or("this program is in no folder")?
            .to_owned();
        let target = folder
            .parent()
            .ok_or("this program is in no target folder")?
            .to_owned();
        let work = folder.join("loop-comparison.work");
        fs::create_dir_all(&work)?;
        Ok(Self {
            target,
            folder,
            work,
        })
    }

    /// Builds each program alone, as the lab does.
    fn build(&self) -> Result<(), Box<dyn Error>> {
        let codecs = CODECS
            .iter()
            .chain(&["noop"])
            .map(|codec| vec!["-p".to_owned(), format!("codec-{codec}")]);
        let plain = CODECS.iter().map(|codec| {
            vec![
                "-p".to_owned(),
                "loop-comparison".to_owned(),
                "--bin".to_owned(),
                format!("plain-{codec}"),
            ]
        });
        for target in codecs.chain(plain) {
            let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let status = Command::new(cargo)
                .args(["build", "--release", "--locked", "--quiet"])
                .args(&target)
                .arg("--target-dir")
                .arg(&self.target)
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .status()?;
            if !status.success() {
                return Err(format!("cargo cannot build {}", target.join(" ")).into());
            }
        }
        Ok(())
    }

    /// Nanoseconds a repetition in the kit's loop.
    fn kit(&self, codec: &str, operation: &str, repetitions: u64) -> Result<f64, Box<dyn Error>> {
        let out = self.work.join("samples.jsonl");
        if out.exists() {
            fs::remove_file(&out)?;
        }
        let mut command = self.command(&format!("codec-{codec}"));
        command.args([
            "measure",
            "--scenario",
            "process-created",
            "--operation",
            operation,
        ]);
        if operation != "deserialize" {
            command.args(["--condition", "buffer=reused"]);
        }
        if operation != "serialize" {
            command.args(["--condition", "output=owned", "--condition", "drop=inside"]);
        }
        command.args(["--input", INPUT]);
        command.arg("--work").arg(&self.work);
        command.args([
            "--repetitions",
            &repetitions.to_string(),
            "--warmup",
            "0",
            "--samples",
            "1",
        ]);
        command.arg("--out").arg(&out);
        run(command)?;
        let sample: Sample = serde_json::from_slice(&fs::read(&out)?)?;
        Ok(sample.wall_ns as f64 / repetitions as f64)
    }

    /// Nanoseconds a repetition in the plain loop.
    fn plain(&self, codec: &str, operation: &str, repetitions: u64) -> Result<f64, Box<dyn Error>> {
        let mut command = self.command(&format!("plain-{codec}"));
        command.args([operation, &repetitions.to_string(), INPUT]);
        let wall_ns: f64 = run(command)?.trim().parse()?;
        Ok(wall_ns / repetitions as f64)
    }

    fn command(&self, program: &str) -> Command {
        Command::new(Path::new(&self.folder).join(format!("{program}{EXE_SUFFIX}")))
    }
}

/// What the command prints.
fn run(mut command: Command) -> Result<String, Box<dyn Error>> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The middle of sorted values, of two the larger.
fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}
