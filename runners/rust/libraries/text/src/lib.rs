//! Rows of logs as lines of text: `[ERR][Server] tm message`, or `… uuid name chunk [data] {fields}` with the last two
//! as JSON.

mod file;
mod lines;

use wirelab_kit::files::Failure;

pub use file::PlainText;
pub use lines::{serve_encrypted_files, serve_files};

/// A row that is stored as a line of text.
pub trait Line: Sized + 'static {
    /// Appends the line, without its end.
    fn format(&self, line: &mut Vec<u8>) -> Result<(), Failure>;

    fn parse(line: &str) -> Result<Self, Failure>;

    /// Whether a line matches the filter: its level comes first.
    fn matches(line: &str) -> bool;

    /// Whether a line matches the publication's filter, which looks for the level anywhere.
    fn matches_as_published(line: &str) -> bool;
}

/// A value by its label; where the types of a set have no lines, none has one.
#[allow(dead_code, reason = "a set of types may have no lines")]
pub(crate) trait Label: Sized {
    fn text(self) -> &'static str;
    fn from_text(text: &str) -> Option<Self>;
}
