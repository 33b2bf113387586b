//! The command line that every runner has: the runner protocol.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

/// A runner of Wirelab: one codec behind the lab's runner protocol.
#[derive(Debug, Parser)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print what this runner is and which cells it offers, as one JSON object
    Describe,
    /// Encode canonical JSON from standard input to standard output
    ///
    /// A scenario with rows takes JSON Lines, and writes each message behind its length as a little-endian u32.
    Encode {
        #[command(flatten)]
        of: Type,
        /// The folder of the keys, for encrypted scenarios
        #[arg(long, value_name = "FOLDER")]
        keys: Option<PathBuf>,
    },
    /// Decode bytes from standard input to canonical JSON on standard output
    ///
    /// Malformed input ends with exit code 65, one line on standard error and nothing on standard output; 70 is a panic
    /// of the library, 71 a need of more memory than 64 MiB and 64 times the input.
    Decode {
        #[command(flatten)]
        of: Type,
        /// Many messages, each behind its length, to many answers
        #[arg(long)]
        batch: bool,
        /// The folder of the keys, for encrypted scenarios
        #[arg(long, value_name = "FOLDER")]
        keys: Option<PathBuf>,
    },
    /// Filter the bytes of a file from standard input to canonical JSON Lines of the rows that match
    ///
    /// Malformed input ends as in `decode`.
    Filter {
        /// The scenario whose row type and filter to use
        #[arg(long)]
        scenario: String,
        /// The folder of the keys, for encrypted scenarios
        #[arg(long, value_name = "FOLDER")]
        keys: Option<PathBuf>,
    },
    /// Change encoded messages from standard input in place, as the scenario says, and write them to standard output
    ///
    /// Malformed input ends as in `decode`.
    Update {
        /// The scenario whose fields to update
        #[arg(long)]
        scenario: String,
    },
    /// Compress encoded messages from standard input: `encode … | compress …` is what a compressed cell makes
    Compress(Compression),
    /// Decompress to encoded messages: `decompress … | decode …`
    ///
    /// Malformed input ends as in `decode`.
    Decompress(Compression),
    /// Time one cell and append its samples to a file, one JSON line each
    ///
    /// A canary, a fixed piece of arithmetic, is timed before the first loop and after each. What the loops produce is
    /// made, and the samples are written, after the last.
    Measure(Measure),
    /// Time canaries alone and print them as one JSON object: how calm is this machine?
    Canary(Canary),
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct Type {
    /// The scenario whose message type to use
    #[arg(long)]
    pub scenario: Option<String>,
    /// Any value, in the notation of schemaless values
    #[arg(id = "any", long = "type", value_name = "any", value_parser = ["any"])]
    pub any: Option<String>,
}

#[derive(Args, Debug)]
pub struct Canary {
    /// How long to go on
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Duration,
    /// Beside each canary, time a copy of so many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub copy: usize,
}

#[derive(Args, Debug)]
pub struct Compression {
    /// The scenario of the messages; rows are framed and compressed one by one
    #[arg(long)]
    pub scenario: String,
    /// The compression, as the cells of `describe` name it
    #[arg(long, value_name = "NAME")]
    pub compression: String,
}

#[derive(Args, Debug)]
pub struct Measure {
    /// The scenario to measure
    #[arg(long)]
    pub scenario: String,
    /// The operation to measure, as `describe` names it
    #[arg(long)]
    pub operation: String,
    /// A condition of the cell; repeat it until one cell is left
    #[arg(long = "condition", value_name = "NAME=VALUE", value_parser = condition)]
    pub conditions: Vec<(String, String)>,
    /// The scenario's canonical JSON or JSON Lines
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// An existing folder for the files of file operations
    #[arg(long, value_name = "FOLDER")]
    pub work: PathBuf,
    /// The folder of the keys, for encrypted scenarios
    #[arg(long, value_name = "FOLDER")]
    pub keys: Option<PathBuf>,
    /// Repetitions in each timed loop; with 0, only the empty loop is timed
    #[arg(long, value_name = "N")]
    pub repetitions: u64,
    /// Repetitions before the first timed loop
    #[arg(long, value_name = "W")]
    pub warmup: u64,
    /// Timed loops; with 0, only the files that the loops would read are made
    #[arg(long, value_name = "M")]
    pub samples: usize,
    /// Heap to take before preparing, so that all data lie that much further on
    ///
    /// A multiple of 16. Large blocks, which malloc maps by itself (with glibc, from 128 KiB), do not move.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub offset: usize,
    /// Beside each canary, time a copy of so many bytes; with 0, none
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub copy_canary: usize,
    /// The file to append the samples to
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

fn condition(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "a condition has the form NAME=VALUE, like buffer=reused".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse()
        .map_err(|_| ())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).map_err(|_| ()));
    seconds.map_err(|()| "use a number of seconds, like 10 or 0.5".to_owned())
}
