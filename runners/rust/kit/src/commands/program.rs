//! The program that a runner is: one command of the runner protocol, and how it ends.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

use crate::base::allocation;
use crate::base::failure::Failure;
use crate::base::frames;
use crate::commands::any::AnyTranscoder;
use crate::commands::arguments::{Arguments, Command, Compression};
use crate::commands::describe::{self, About, Identical, Role};
use crate::commands::transcode::{self, Transcoder};
use crate::commands::{canary, measure};
use crate::files;
use crate::measuring::cell::{COMPRESSION, Cell};
use crate::model::compression::{self, Transform};

/// `decode` may allocate these bytes plus [`DECODE_BUDGET_FACTOR`] times its input, so that a length that the input
/// merely claims cannot exhaust the machine.
const DECODE_BUDGET_BYTES: usize = 64 << 20;
const DECODE_BUDGET_FACTOR: usize = 64;

/// The message and the source location of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Turns the bytes of `decode` into canonical JSON.
type Decoding<'p> = Box<dyn Fn(&[u8]) -> Result<Vec<u8>, String> + 'p>;

/// A codec as the commands see it.
pub struct Program {
    about: About,
    role: Option<Role>,
    identical: Identical,
    cells: Vec<Cell>,
    transcoders: Vec<Transcoder>,
    any: Option<AnyTranscoder>,
    sees_allocations: bool,
}

impl Program {
    pub fn new(
        about: About,
        role: Option<Role>,
        identical: Identical,
        cells: Vec<Cell>,
        transcoders: Vec<Transcoder>,
        any: Option<AnyTranscoder>,
        sees_allocations: bool,
    ) -> Self {
        Self {
            about,
            role,
            identical,
            cells,
            transcoders,
            any,
            sees_allocations,
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
            Command::Describe => write(&describe::describe(
                &self.about,
                self.role,
                &self.identical,
                self.any.is_some(),
                &self.cells,
            )?),
            Command::Encode { of, keys } => {
                set_keys(keys.as_deref());
                let Some(scenario) = &of.scenario else {
                    let any = self.any()?;
                    return write(&self.limited("encode", "any", |line| any.encode(line))?);
                };
                let transcoder = self.transcoder(scenario)?;
                write(&self.transcode("encode", transcoder, transcoder.encode)?)
            }
            Command::Decode { of, batch, keys } => {
                set_keys(keys.as_deref());
                let (name, decode) = self.decoding(of.scenario.as_deref())?;
                if *batch {
                    self.answer_each(name, decode)
                } else {
                    write(&self.limited("decode", name, decode)?)
                }
            }
            Command::Compress(arguments) => {
                let (compress, _) = self.compression(arguments)?;
                let transcoder = self.transcoder(&arguments.scenario)?;
                let all = |rows, messages: &[u8]| transcode::transform(rows, messages, compress);
                write(&self.transcode("compress", transcoder, all)?)
            }
            Command::Decompress(arguments) => {
                let (_, decompress) = self.compression(arguments)?;
                let transcoder = self.transcoder(&arguments.scenario)?;
                let all = |rows, messages: &[u8]| transcode::transform(rows, messages, decompress);
                write(&self.transcode("decompress", transcoder, all)?)
            }
            Command::Filter { scenario, keys } => {
                set_keys(keys.as_deref());
                let transcoder = self.transcoder(scenario)?;
                let filter = transcoder.filter.ok_or_else(|| {
                    Failure::Usage(format!("{scenario} has no filter; use `decode`"))
                })?;
                write(&self.transcode("filter", transcoder, filter)?)
            }
            Command::Update { scenario } => {
                let transcoder = self.transcoder(scenario)?;
                let update = transcoder.update.ok_or_else(|| {
                    Failure::Usage(format!(
                        "{scenario} has no update that this codec makes in place; use `encode`"
                    ))
                })?;
                write(&self.transcode("update", transcoder, update)?)
            }
            Command::Canary(arguments) => write(&canary::canary(arguments)?),
            Command::Measure(arguments) => catch_panic(|| {
                set_keys(arguments.keys.as_deref());
                measure::measure(&self.cells, arguments, self.sees_allocations)
            })
            .unwrap_or_else(|panic| Err(Failure::Internal(panic))),
        }
    }

    /// The transcoder of values of any type.
    fn any(&self) -> Result<&AnyTranscoder, Failure> {
        self.any.as_ref().ok_or_else(|| {
            Failure::Usage("this codec has no values of type any; use --scenario".to_owned())
        })
    }

    /// What `decode` does with the bytes of a scenario's messages or, without a scenario, of any type; and its name.
    fn decoding(&self, scenario: Option<&str>) -> Result<(&'static str, Decoding<'_>), Failure> {
        let Some(scenario) = scenario else {
            let any = self.any()?;
            return Ok(("any", Box::new(|input| any.decode(input))));
        };
        let transcoder = self.transcoder(scenario)?;
        let (scenario, decode) = (transcoder.scenario, transcoder.decode);
        Ok((
            scenario.name,
            Box::new(move |input| decode(scenario.rows, input)),
        ))
    }

    /// The transcoder of a scenario.
    fn transcoder(&self, scenario: &str) -> Result<&Transcoder, Failure> {
        let mut transcoders = self.transcoders.iter();
        let transcoder = transcoders.find(|t| t.scenario.name == scenario);
        transcoder.ok_or_else(|| {
            let names: Vec<_> = self.transcoders.iter().map(|t| t.scenario.name).collect();
            Failure::Usage(match &names[..] {
                [] => "a control encodes no format; it can only be measured".to_owned(),
                names => format!("no scenario {scenario}; use one of {}", names.join(", ")),
            })
        })
    }

    /// The compression and decompression that a cell of the scenario is measured with.
    fn compression(&self, arguments: &Compression) -> Result<(Transform, Transform), Failure> {
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

    /// Runs one direction of a transcoder on standard input, within the memory budget.
    fn transcode(
        &self,
        command: &'static str,
        transcoder: &Transcoder,
        transcode: impl Fn(bool, &[u8]) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, Failure> {
        let rows = transcoder.scenario.rows;
        self.limited(command, transcoder.scenario.name, |input| {
            transcode(rows, input)
        })
    }

    /// Turns standard input into output within the memory budget.
    fn limited(
        &self,
        command: &'static str,
        scenario: &'static str,
        transcode: impl Fn(&[u8]) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, Failure> {
        let input = read()?;
        let budget = budget_bytes(&input);
        let message = format!(
            "more than {budget} bytes of memory are needed for {} bytes of input",
            input.len()
        );
        self.limit(budget, command, scenario, message);
        let output = attempt(command, scenario, || transcode(&input))?;
        if let Some(loss) = files::reported_loss() {
            eprintln!("{}: {command} {scenario}: {loss}", self.about.codec);
        }
        Ok(output)
    }

    /// Answers each framed input of `decode --batch`: an exit code, then framed what `decode` would print.
    ///
    /// Each answer is flushed before the next input is read, so that the first input without an answer ended the process.
    fn answer_each(&self, scenario: &'static str, decode: Decoding) -> Result<(), Failure> {
        let command = "decode";
        let malformed = |message| Failure::Malformed {
            command,
            scenario,
            message,
        };
        let inputs = read()?;
        let message = "more memory is needed than 64 MiB and 64 times the input".to_owned();
        self.limit(budget_bytes(&inputs), command, scenario, message);
        for input in frames::read(&inputs) {
            let input = input.map_err(malformed)?;
            allocation::renew_limit(budget_bytes(input));
            let (code, printed) = match attempt(command, scenario, || decode(input)) {
                Ok(line) => (0, line),
                Err(failure) => (failure.exit_code(), failure.to_string().into_bytes()),
            };
            let mut answer = vec![code];
            frames::write(&printed, &mut answer).map_err(malformed)?;
            write(&answer)?;
        }
        Ok(())
    }

    /// From here on, memory beyond the budget ends the process, with the message and the exit code of that failure.
    fn limit(&self, budget: usize, command: &'static str, scenario: &'static str, message: String) {
        let failure = Failure::Memory {
            command,
            scenario,
            message,
        };
        let line = format!("{}: {failure}\n", self.about.codec);
        allocation::limit(budget, line, failure.exit_code());
    }
}

/// What `work` makes of the data of a scenario: the library's error is the data's fault, a panic the library's.
fn attempt(
    command: &'static str,
    scenario: &'static str,
    work: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, Failure> {
    let worked = catch_panic(work).map_err(|message| Failure::Panic {
        command,
        scenario,
        message,
    })?;
    worked.map_err(|message| Failure::Malformed {
        command,
        scenario,
        message,
    })
}

/// Shows help on standard output, or what is wrong with the arguments on standard error.
fn show(error: &clap::Error) -> ExitCode {
    // If the stream is closed, there is nowhere to report that.
    let _ = error.print();
    if error.use_stderr() {
        Failure::Usage(String::new()).exit_code().into()
    } else {
        ExitCode::SUCCESS
    }
}

/// Runs `work` and returns a panic in it as an error, with nothing on standard error.
fn catch_panic<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    panic::set_hook(Box::new(|info| {
        if let Ok(mut panic) = PANIC.lock() {
            *panic = info.to_string();
        }
    }));
    // Whatever state `work` leaves behind after a panic is dropped unused.
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| PANIC.lock().map(|panic| panic.clone()).unwrap_or_default())
}

/// Passes the folder of the keys on to the codecs, if the command line names one.
fn set_keys(folder: Option<&Path>) {
    if let Some(folder) = folder {
        files::set_key_folder(folder);
    }
}

/// The memory that a library may take for an input.
fn budget_bytes(input: &[u8]) -> usize {
    DECODE_BUDGET_BYTES + DECODE_BUDGET_FACTOR * input.len()
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
