//! Compares the kit's timed loop with a plain one around the same calls: `cargo run --release -p loop-comparison`.
//!
//! The two are programs of their own, launched in alternation, so that neither changes the other's allocator and a
//! machine that drifts moves both alike. Where the compiler and the linker happen to place a program's functions moves
//! its times by more than any loop does; so each program is built in several layouts, and the medians over the layouts
//! are compared. No time is asserted; the table is for people.

use std::env::{self, consts::EXE_SUFFIX};
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use serde::Deserialize;

/// Repetitions of a loop.
const REPETITIONS: u64 = 200_000;
/// Repetitions of the loop that does nothing.
const NOOP_REPETITIONS: u64 = 10_000_000;

const CODECS: [&str; 4] = ["postcard", "prost", "bincode", "serde-json"];
const OPERATIONS: [&str; 3] = ["serialize", "deserialize", "round-trip"];

/// The canonical JSON of the message.
const INPUT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../messages/testdata/process-created.json"
);

/// Compares the kit's timed loop with a plain one around the same library calls.
#[derive(Parser)]
struct Arguments {
    /// How often each program is launched in each layout.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// In how many layouts each program is built.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    layouts: u64,
    /// Which codecs; all of them without it.
    #[arg(long = "codec", default_values = CODECS, value_parser = CODECS)]
    codecs: Vec<String>,
}

/// The fields of a sample that are compared.
#[derive(Deserialize)]
struct Sample {
    wall_ns: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let programs = Programs::new()?;
    for layout in 0..arguments.layouts {
        eprintln!("building layout {} of {}", layout + 1, arguments.layouts);
        programs.build(&arguments.codecs, layout)?;
    }
    println!(
        "ns a repetition: median of {} layouts [least - greatest], of each the least of {} launches",
        arguments.layouts, arguments.rounds
    );
    println!(
        "{:10} {:11} {:>24} {:>24} {:>9}",
        "codec", "operation", "kit", "plain", "kit/plain"
    );
    for codec in &arguments.codecs {
        for operation in OPERATIONS {
            let [kit, plain] = compare(&programs, &arguments, codec, operation)?;
            let ratio = median(&kit) / median(&plain);
            println!(
                "{codec:10} {operation:11} {:>24} {:>24} {ratio:9.3}",
                span(&kit),
                span(&plain)
            );
        }
    }
    for operation in OPERATIONS {
        let launches =
            (0..arguments.rounds).map(|_| programs.kit("noop", 0, operation, NOOP_REPETITIONS));
        let launches: Vec<f64> = launches.collect::<Result<_, _>>()?;
        println!("{:10} {operation:11} {:>24.2}", "noop", least(&launches));
    }
    fs::remove_dir_all(&programs.work)?;
    Ok(())
}

/// The kit's loop and the plain one, layout by layout, in nanoseconds a repetition: the least of the launches, since
/// neighbours of the machine only ever add.
fn compare(
    programs: &Programs,
    arguments: &Arguments,
    codec: &str,
    operation: &str,
) -> Result<[Vec<f64>; 2], Box<dyn Error>> {
    let mut launches = vec![[Vec::new(), Vec::new()]; arguments.layouts as usize];
    for _ in 0..arguments.rounds {
        for (layout, [kit, plain]) in (0..).zip(&mut launches) {
            kit.push(programs.kit(codec, layout, operation, REPETITIONS)?);
            plain.push(programs.plain(codec, layout, operation, REPETITIONS)?);
        }
    }
    let (kit, plain) = launches
        .into_iter()
        .map(|[kit, plain]| (least(&kit), least(&plain)))
        .unzip();
    Ok([kit, plain])
}

/// The programs, and the files that they work on.
struct Programs {
    /// Cargo's target folder for them: not that of the lab, whose runners stay as they are.
    target: PathBuf,
    work: PathBuf,
}

impl Programs {
    fn new() -> Result<Self, Box<dyn Error>> {
        let program = env::current_exe()?;
        let folder = program.parent().ok_or("this program is in no folder")?;
        let work = folder.join("loop-comparison.work");
        fs::create_dir_all(&work)?;
        Ok(Self {
            target: folder.join("loop-comparison.target"),
            work,
        })
    }

    /// Builds each program alone, as the lab does; `layout` goes into the names by which the compiler orders functions.
    fn build(&self, codecs: &[String], layout: u64) -> Result<(), Box<dyn Error>> {
        let measured = codecs.iter().map(String::as_str);
        let runners = measured.clone().chain(["noop"]).map(|codec| {
            let package = format!("codec-{codec}");
            (package.clone(), vec!["-p".to_owned(), package])
        });
        let plain = measured.map(|codec| {
            let binary = format!("plain-{codec}");
            (
                binary.clone(),
                ["-p", "loop-comparison", "--bin", &binary]
                    .map(str::to_owned)
                    .to_vec(),
            )
        });
        for (binary, target) in runners.chain(plain) {
            let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let status = Command::new(cargo)
                .args(["rustc", "--release", "--locked", "--quiet"])
                .args(&target)
                .arg("--target-dir")
                .arg(&self.target)
                .args(["--".to_owned(), format!("-Cmetadata=layout-{layout}")])
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .status()?;
            if !status.success() {
                return Err(format!("cargo cannot build {binary}").into());
            }
            let built = self
                .target
                .join("release")
                .join(format!("{binary}{EXE_SUFFIX}"));
            fs::copy(built, self.program(&binary, layout))?;
        }
        Ok(())
    }

    /// Nanoseconds a repetition in the kit's loop.
    fn kit(
        &self,
        codec: &str,
        layout: u64,
        operation: &str,
        repetitions: u64,
    ) -> Result<f64, Box<dyn Error>> {
        let out = self.work.join("samples.jsonl");
        if out.exists() {
            fs::remove_file(&out)?;
        }
        let mut command = Command::new(self.program(&format!("codec-{codec}"), layout));
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
        command.args([
            "--warmup",
            "0",
            "--samples",
            "1",
            "--repetitions",
            &repetitions.to_string(),
        ]);
        command
            .args(["--input", INPUT])
            .arg("--work")
            .arg(&self.work)
            .arg("--out")
            .arg(&out);
        run(command)?;
        let sample: Sample = serde_json::from_slice(&fs::read(&out)?)?;
        Ok(sample.wall_ns as f64 / repetitions as f64)
    }

    /// Nanoseconds a repetition in the plain loop.
    fn plain(
        &self,
        codec: &str,
        layout: u64,
        operation: &str,
        repetitions: u64,
    ) -> Result<f64, Box<dyn Error>> {
        let mut command = Command::new(self.program(&format!("plain-{codec}"), layout));
        command.args([operation, &repetitions.to_string(), INPUT]);
        let wall_ns: f64 = run(command)?.trim().parse()?;
        Ok(wall_ns / repetitions as f64)
    }

    fn program(&self, name: &str, layout: u64) -> PathBuf {
        self.work.join(format!("{name}-{layout}{EXE_SUFFIX}"))
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

/// The middle value; of two, the greater.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The median with the least and the greatest value.
fn span(values: &[f64]) -> String {
    let least = least(values);
    let greatest = values.iter().copied().fold(0.0, f64::max);
    format!("{:.1} [{least:.1} - {greatest:.1}]", median(values))
}
