//! Rows of logs with prost: a row is converted into a message and encoded, then decoded whole and converted back.

use prost::Message;
use wirelab_kit::Runner;
use wirelab_kit::files::{Failure, Framed, Matches, RowMessage};
use wirelab_messages::logs::{self, FILTER_TEXT, Level, LogBlock, LogMeta, LogRecord, LogText};

mod proto {
    include!(concat!(env!("OUT_DIR"), "/wirelab.logs.rs"));
}

pub use proto::{Attachment, Block, Borrowed, Metadata, Record, RecordBinary, RecordCrypt};

/// prost: `encode` and `decode`.
#[derive(Default)]
pub struct Prost;

/// Offers files of all rows, framed.
pub fn serve<C>(runner: Runner<C>) -> Runner<C> {
    runner
        .files::<Framed<Prost>, LogText>()
        .files::<Framed<Prost>, LogRecord>()
        .unfiltered_files::<Framed<Prost>, LogBlock>()
}

/// A message that rows of type `R` are converted into.
pub trait MessageOf<R>: Message + Default + for<'r> From<&'r R> + 'static {
    fn into_row(self) -> Result<R, Failure>;
}

/// A row with the message that it is converted into.
pub trait Prosted: Sized + 'static {
    type Message: MessageOf<Self> + Matches;
}

impl<R: Prosted> RowMessage<R> for Prost {
    type View<'a> = R::Message;

    fn encode(&mut self, row: &R, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(R::Message::from(row).encode(buffer)?)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<R::Message, Failure> {
        Ok(R::Message::decode(bytes)?)
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<R::Message>, Failure> {
        let message = R::Message::decode(bytes)?;
        Ok(message.matches().then_some(message))
    }

    fn owned(message: R::Message) -> Result<R, Failure> {
        message.into_row()
    }
}

impl Prosted for LogText {
    type Message = Record;
}

impl Prosted for LogRecord {
    type Message = RecordBinary;
}

impl Prosted for LogBlock {
    type Message = Borrowed;
}

impl From<&LogMeta> for Metadata {
    fn from(meta: &LogMeta) -> Self {
        Self {
            level: meta.level as u32,
            target: meta.target as u32,
            tm: meta.tm,
        }
    }
}

impl Metadata {
    /// The row's metadata.
    pub fn into_row(self) -> Result<LogMeta, Failure> {
        Ok(LogMeta {
            level: u8::try_from(self.level)?.try_into()?,
            target: u8::try_from(self.target)?.try_into()?,
            tm: self.tm,
        })
    }

    /// Whether the row has the level of the scenario's filter.
    pub fn is_err(&self) -> bool {
        self.level == Level::Err as u32
    }
}

impl From<&logs::Attachment> for Attachment {
    fn from(attachment: &logs::Attachment) -> Self {
        let attachment = attachment.clone();
        Self {
            uuid: attachment.uuid,
            name: attachment.name,
            chunk: attachment.chunk,
            data: attachment.data,
            fields: attachment.fields.into_iter().collect(),
        }
    }
}

impl From<Attachment> for logs::Attachment {
    fn from(attachment: Attachment) -> Self {
        Self {
            uuid: attachment.uuid,
            name: attachment.name,
            chunk: attachment.chunk,
            data: attachment.data,
            fields: attachment.fields.into_iter().collect(),
        }
    }
}

/// The value of a field that every row has.
pub fn required<T>(field: Option<T>, name: &str) -> Result<T, Failure> {
    field.ok_or_else(|| format!("the field {name} is missing").into())
}

impl From<&LogText> for Record {
    fn from(row: &LogText) -> Self {
        Self {
            meta: Some((&row.meta).into()),
            msg: row.payload.clone(),
        }
    }
}

impl MessageOf<LogText> for Record {
    fn into_row(self) -> Result<LogText, Failure> {
        Ok(LogText {
            meta: required(self.meta, "meta")?.into_row()?,
            payload: self.msg,
        })
    }
}

impl Matches for Record {
    fn matches(&self) -> bool {
        self.meta.as_ref().is_some_and(Metadata::is_err) && self.msg.contains(FILTER_TEXT)
    }
}

impl From<&LogRecord> for RecordBinary {
    fn from(row: &LogRecord) -> Self {
        Self {
            meta: Some((&row.meta).into()),
            payload: Some((&row.payload).into()),
        }
    }
}

impl MessageOf<LogRecord> for RecordBinary {
    fn into_row(self) -> Result<LogRecord, Failure> {
        Ok(LogRecord {
            meta: required(self.meta, "meta")?.into_row()?,
            payload: required(self.payload, "payload")?.into(),
        })
    }
}

impl Matches for RecordBinary {
    fn matches(&self) -> bool {
        self.meta.as_ref().is_some_and(Metadata::is_err)
            && self
                .payload
                .as_ref()
                .is_some_and(|payload| payload.name.contains(FILTER_TEXT))
    }
}

impl From<&LogBlock> for Borrowed {
    fn from(row: &LogBlock) -> Self {
        let block = Block {
            field_u8: row.field_u8.into(),
            field_u16: row.field_u16.into(),
            field_u32: row.field_u32,
            field_u64: row.field_u64,
            field_u128: row.field_u128.to_le_bytes().to_vec(),
            field_i8: row.field_i8.into(),
            field_i16: row.field_i16.into(),
            field_i32: row.field_i32,
            field_i64: row.field_i64,
            field_i128: row.field_i128.to_le_bytes().to_vec(),
            field_f32: row.field_f32,
            field_f64: row.field_f64,
            field_bool: row.field_bool,
            blob_a: row.blob_a.to_vec(),
            blob_b: row.blob_b.to_vec(),
        };
        Self { block: Some(block) }
    }
}

impl MessageOf<LogBlock> for Borrowed {
    fn into_row(self) -> Result<LogBlock, Failure> {
        let block = required(self.block, "block")?;
        Ok(LogBlock {
            field_u8: block.field_u8.try_into()?,
            field_u16: block.field_u16.try_into()?,
            field_u32: block.field_u32,
            field_u64: block.field_u64,
            field_u128: u128::from_le_bytes(exactly(&block.field_u128, "field_u128")?),
            field_i8: block.field_i8.try_into()?,
            field_i16: block.field_i16.try_into()?,
            field_i32: block.field_i32,
            field_i64: block.field_i64,
            field_i128: i128::from_le_bytes(exactly(&block.field_i128, "field_i128")?),
            field_f32: block.field_f32,
            field_f64: block.field_f64,
            field_bool: block.field_bool,
            blob_a: exactly(&block.blob_a, "blob_a")?,
            blob_b: exactly(&block.blob_b, "blob_b")?,
        })
    }
}

/// No scenario filters these rows.
impl Matches for Borrowed {
    fn matches(&self) -> bool {
        false
    }
}

fn exactly<const N: usize>(bytes: &[u8], name: &str) -> Result<[u8; N], Failure> {
    bytes
        .try_into()
        .map_err(|_| format!("{name} has {} bytes, not {N}", bytes.len()).into())
}

/// The row of a message.
pub fn row_of<R>(message: impl MessageOf<R>) -> Result<R, Failure> {
    message.into_row()
}
