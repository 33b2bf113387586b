//! Every failure of a runner, with its message and its exit code.

use std::path::PathBuf;
use std::{fmt, io};

/// Why a runner failed. The message says what was wrong, where, and what to do.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that this runner does not offer.
    Usage(String),
    /// The data is malformed.
    Malformed {
        command: &'static str,
        scenario: &'static str,
        message: String,
    },
    /// The library panicked at the data, which its callers see as no error.
    Panic {
        command: &'static str,
        scenario: &'static str,
        message: String,
    },
    /// The library asked for more memory than the data may take.
    Memory {
        command: &'static str,
        scenario: &'static str,
        message: String,
    },
    /// An input file cannot be read.
    Input { path: PathBuf, error: io::Error },
    /// Standard input cannot be read, or a result cannot be written.
    Io { what: String, error: io::Error },
    /// The runner contradicts itself.
    Internal(String),
}

impl Failure {
    /// The exit code, as BSD's sysexits.h numbers them.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 64,
            Self::Malformed { .. } => 65,
            Self::Input { .. } => 66,
            Self::Panic { .. } | Self::Internal(_) => 70,
            Self::Memory { .. } => 71,
            Self::Io { .. } => 74,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Usage(message) => write!(f, "{message}"),
            Self::Malformed {
                command,
                scenario,
                message,
            }
            | Self::Panic {
                command,
                scenario,
                message,
            }
            | Self::Memory {
                command,
                scenario,
                message,
            } => write!(f, "{command} {scenario}: {}", one_line(message)),
            Self::Input { path, error } => write!(
                f,
                "cannot read the input {}: {error}; give --input a file with the scenario's canonical JSON",
                path.display()
            ),
            Self::Io { what, error } => write!(
                f,
                "cannot {what}: {error}; check free disk space, permissions and the other end of a pipe"
            ),
            Self::Internal(message) => {
                write!(
                    f,
                    "internal error: {message}; please report it with this command line"
                )
            }
        }
    }
}

/// A library's error as one line of printable text: some have several lines, or quote their input.
fn one_line(message: &str) -> String {
    let words: Vec<&str> = message
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// An error of either half of a round trip, or of the compression between them.
#[derive(Debug)]
pub enum RoundTripError<E, D> {
    Encode(E),
    Decode(D),
    Compression(io::Error),
}

impl<E: fmt::Display, D: fmt::Display> fmt::Display for RoundTripError<E, D> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Encode(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
            Self::Compression(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        assert_eq!(one_line("a\n  b\x1B[2J\x1Dc\u{2028}d"), "a b [2J c d");
    }
}
