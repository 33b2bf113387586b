//! The program that a runner is: one command of the runner protocol, and how it ends.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

use crate::allocation;
use crate::arguments::{Arguments, Command, Compression};
use crate::cell::{COMPRESSION, Cell};
use crate::compression::{self, Whole};
use crate::describe::{self, About};
use crate::failure::Failure;
use crate::files;
use crate::measure;
use crate::transcode::{self, Transcoder};

/// What `decode` may allocate: these bytes, and [`DECODE_BUDGET_FACTOR`] times its input. A length that the input
/// only claims must not take the machine down.
const DECODE_BUDGET_BYTES: usize = 64 << 20;
const DECODE_BUDGET_FACTOR: usize = 64;

/// The last panic's message and place.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// A codec as the commands see it.
pub struct Program {
    about: About,
    cells: Vec<Cell>,
    transcoders: Vec<Transcoder>,
}

impl Program {
    pub fn new(about: About, cells: Vec<Cell>, transcoders: Vec<Transcoder>) -> Self {
        Self {
            about,
            cells,
            transcoders,
        }
    }

    /// Serves the command in the process's arguments.
    pub fn run(self) -> ExitCode {
        let command = match Arguments::try_parse() {
            Ok(arguments) => arguments.command,
            Err(error) => return show(&error),
        };
        match self.serve(&command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                eprintln!("{}: {failure}", self.about.codec);
                failure.exit_code().into()
            }
        }
    }

    fn serve(&self, command: &Command) -> Result<(), Failure> {
        match command {
            Command::Describe => write(&describe::describe(&self.about, &self.cells)?),
            Command::Encode { scenario, keys } => {
                set_keys(keys.as_deref());
                let transcoder = self.transcoder(scenario)?;
                write(&self.transcode("encode", transcoder, transcoder.encode)?)
            }
            Command::Decode { scenario, keys } => {
                set_keys(keys.as_deref());
                let transcoder = self.transcoder(scenario)?;
                write(&self.transcode("decode", transcoder, transcoder.decode)?)
            }
            Command::Compress(arguments) => {
                let (compress, _) = self.compression(arguments)?;
                let transcoder = self.transcoder(&arguments.scenario)?;
                let all = |rows, messages: &[u8]| transcode::each(rows, messages, compress);
                write(&self.transcode("compress", transcoder, all)?)
            }
            Command::Decompress(arguments) => {
                let (_, decompress) = self.compression(arguments)?;
                let transcoder = self.transcoder(&arguments.scenario)?;
                let all = |rows, messages: &[u8]| transcode::each(rows, messages, decompress);
                write(&self.transcode("decompress", transcoder, all)?)
            }
            Command::Filter { scenario, keys } => {
                set_keys(keys.as_deref());
                let transcoder = self.transcoder(scenario)?;
                let filter = transcoder.filter.ok_or_else(|| {
                    Failure::Usage(format!("{scenario} has no filter; only decode it"))
                })?;
                write(&self.transcode("filter", transcoder, filter)?)
            }
            Command::Measure(arguments) => catch_panic(|| {
                set_keys(arguments.keys.as_deref());
                measure::measure(&self.cells, arguments)
            })
            .unwrap_or_else(|panic| Err(Failure::Internal(panic))),
        }
    }

    /// The transcoder of a scenario.
    fn transcoder(&self, scenario: &str) -> Result<&Transcoder, Failure> {
        let found = self
            .transcoders
            .iter()
            .find(|t| t.scenario.name == scenario);
        found.ok_or_else(|| {
            let names: Vec<_> = self.transcoders.iter().map(|t| t.scenario.name).collect();
            Failure::Usage(match &names[..] {
                [] => "a control has nothing to encode and decode; only measure it".to_owned(),
                names => format!("no scenario {scenario}; use one of {}", names.join(", ")),
            })
        })
    }

    /// How messages are compressed and decompressed, as a cell of the scenario is measured with.
    fn compression(&self, arguments: &Compression) -> Result<(Whole, Whole), Failure> {
        let (scenario, name) = (&arguments.scenario, arguments.compression.as_str());
        let mut cells = self.cells.iter();
        let offered = |c: &Cell| {
            c.scenario == scenario && c.conditions.get(COMPRESSION).is_some_and(|n| *n == name)
        };
        let known = cells
            .any(offered)
            .then(|| compression::named(name))
            .flatten();
        known.ok_or_else(|| {
            Failure::Usage(format!(
                "no cell of {scenario} has compression={name}; `describe` lists those that have one"
            ))
        })
    }

    /// Runs one direction of a transcoder on standard input, on a budget.
    fn transcode(
        &self,
        command: &'static str,
        transcoder: &Transcoder,
        transcode: impl Fn(bool, &[u8]) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, Failure> {
        let scenario = transcoder.scenario;
        let malformed = |message| Failure::Malformed {
            command,
            scenario: scenario.name,
            message,
        };
        let input = read()?;
        let budget = DECODE_BUDGET_BYTES + DECODE_BUDGET_FACTOR * input.len();
        let refusal = malformed(format!(
            "more than {budget} bytes of memory are needed for {} bytes of input",
            input.len()
        ));
        let line = format!("{}: {refusal}\n", self.about.codec);
        allocation::limit(budget, line, refusal.exit_code());

        let output = catch_panic(|| transcode(scenario.rows, &input))
            .unwrap_or_else(Err)
            .map_err(malformed)?;
        if let Some(loss) = files::reported_loss() {
            eprintln!("{}: {command} {}: {loss}", self.about.codec, scenario.name);
        }
        Ok(output)
    }
}

/// Shows help on standard output, or what is wrong with the arguments on standard error.
fn show(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell if the stream is closed.
    let _ = error.print();
    if error.use_stderr() {
        Failure::Usage(String::new()).exit_code().into()
    } else {
        ExitCode::SUCCESS
    }
}

/// Runs `work` and returns a panic in it as an error, without a word on standard error.
fn catch_panic<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    panic::set_hook(Box::new(|info| {
        if let Ok(mut panic) = PANIC.lock() {
            *panic = info.to_string();
        }
    }));
    // What `work` leaves behind after a panic is dropped unseen.
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| PANIC.lock().map(|panic| panic.clone()).unwrap_or_default())
}

/// Tells codecs where keys lie, if the command line does.
fn set_keys(folder: Option<&Path>) {
    if let Some(folder) = folder {
        files::set_key_folder(folder);
    }
}

fn read() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|error| Failure::Io {
        what: "read standard input".to_owned(),
        error,
    })
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::Io {
        what: "write to standard output".to_owned(),
        error,
    })
}
