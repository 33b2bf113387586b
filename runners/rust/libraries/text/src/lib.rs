//! Rows of logs as lines of text: `[ERR][Server] tm message`, or `… uuid name chunk [data] {fields}` with the last two
//! as JSON.

mod file;

use std::io::Write;

use wirelab_kit::files::Failure;
use wirelab_messages::logs::{Attachment, FILTER_TEXT, Level, LogMeta, LogRecord, LogText, Origin};

pub use file::PlainText;

/// The hexadecimal digits of a uuid.
const UUID: usize = 32;

/// A row that is stored as a line of text.
pub trait Line: Sized + 'static {
    /// Appends the line, without its end.
    fn format(&self, line: &mut Vec<u8>) -> Result<(), Failure>;

    fn parse(line: &str) -> Result<Self, Failure>;
}

/// Whether a line matches the filter: its level comes first.
pub fn matches(line: &str) -> bool {
    line.starts_with("[ERR]") && line.contains(FILTER_TEXT)
}

/// Whether a line matches the publication's filter, which looks for the level anywhere.
pub fn matches_as_published(line: &str) -> bool {
    line.contains("[ERR]") && line.contains(FILTER_TEXT)
}

fn format_meta(meta: &LogMeta, line: &mut Vec<u8>) -> Result<(), Failure> {
    Ok(write!(
        line,
        "[{}][{}] {} ",
        meta.level, meta.target, meta.tm
    )?)
}

/// The metadata that a line begins with, and the rest.
fn parse_meta(line: &str) -> Option<(LogMeta, &str)> {
    let (level, rest) = line.strip_prefix('[')?.split_once("][")?;
    let (target, rest) = rest.split_once("] ")?;
    let (tm, rest) = rest.split_once(' ')?;
    let meta = LogMeta {
        level: Level::from_text(level)?,
        target: Origin::from_text(target)?,
        tm: tm.parse().ok()?,
    };
    Some((meta, rest))
}

impl Line for LogText {
    fn format(&self, line: &mut Vec<u8>) -> Result<(), Failure> {
        format_meta(&self.meta, line)?;
        line.extend_from_slice(self.payload.as_bytes());
        Ok(())
    }

    fn parse(line: &str) -> Result<Self, Failure> {
        let (meta, payload) =
            parse_meta(line).ok_or("the line does not begin with [LEVEL][Target] tm")?;
        Ok(Self {
            meta,
            payload: payload.to_owned(),
        })
    }
}

impl Line for LogRecord {
    fn format(&self, line: &mut Vec<u8>) -> Result<(), Failure> {
        format_meta(&self.meta, line)?;
        let Attachment {
            uuid,
            name,
            chunk,
            data,
            fields,
        } = &self.payload;
        write!(line, "{uuid} {name} {chunk} ")?;
        serde_json::to_writer(&mut *line, data)?;
        line.push(b' ');
        Ok(serde_json::to_writer(line, fields)?)
    }

    fn parse(line: &str) -> Result<Self, Failure> {
        let (meta, rest) =
            parse_meta(line).ok_or("the line does not begin with [LEVEL][Target] tm")?;
        let payload = parse_attachment(rest).ok_or("no attachment follows the metadata")?;
        Ok(Self { meta, payload })
    }
}

/// The format does not mark where a name ends: it ends at the first position after which all the rest can be parsed.
fn parse_attachment(text: &str) -> Option<Attachment> {
    let (uuid, rest) = text.split_at_checked(UUID)?;
    let rest = rest.strip_prefix(' ')?;
    rest.match_indices(" [").find_map(|(position, _)| {
        let (before, after) = rest.split_at(position);
        let (name, chunk) = before.rsplit_once(' ')?;
        let (data, fields) = after.split_once("] {")?;
        Some(Attachment {
            uuid: uuid.to_owned(),
            name: name.to_owned(),
            chunk: chunk.parse().ok()?,
            data: serde_json::from_str(&format!("{data}]")).ok()?,
            fields: serde_json::from_str(&format!("{{{fields}")).ok()?,
        })
    })
}
