//! Rows of log files: text, attachments, and blocks of numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use wirelab_kit::files::{Framed, Matches, Owned};
use wirelab_kit::{Codec, Decode, Encode, Message, Runner, Scenario};

use crate::raw::{Raw, RawRows};
use crate::scenarios;

/// The text that the filter of the scenarios matches, in rows of [`Level::Err`]: `filter` of their files in
/// schemas/scenarios.
pub const FILTER_TEXT: &str = "-match-";

/// A line of text in a log.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogText {
    pub meta: LogMeta,
    pub payload: String,
}

/// A log entry with an attachment.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogRecord {
    pub meta: LogMeta,
    pub payload: Attachment,
}

/// A log entry whose attachment, at least, is encrypted in the file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogSecret(pub LogRecord);

/// A log entry of numbers and blobs.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogBlock {
    pub field_u8: u8,
    pub field_u16: u16,
    pub field_u32: u32,
    pub field_u64: u64,
    #[serde(with = "digits")]
    pub field_u128: u128,
    pub field_i8: i8,
    pub field_i16: i16,
    pub field_i32: i32,
    pub field_i64: i64,
    #[serde(with = "digits")]
    pub field_i128: i128,
    pub field_f32: f32,
    pub field_f64: f64,
    pub field_bool: bool,
    #[serde(with = "octets")]
    pub blob_a: [u8; 100],
    #[serde(with = "octets")]
    pub blob_b: [u8; 255],
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct LogMeta {
    pub level: Level,
    pub target: Origin,
    pub tm: u64,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Attachment {
    pub uuid: String,
    pub name: String,
    pub chunk: u32,
    #[serde(with = "octets")]
    pub data: Vec<u8>,
    pub fields: BTreeMap<String, String>,
}

/// An enumeration: a byte in some formats, the name of the variant in others, and a label in lines of text.
macro_rules! byte_enum {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $byte:literal $text:literal),* }) => {
        $(#[$about])*
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
        pub enum $name { $($variant = $byte),* }

        impl $name {
            /// The label in lines of text.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The variant of a label in lines of text.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl TryFrom<u8> for $name {
            type Error = String;

            fn try_from(byte: u8) -> Result<Self, String> {
                match byte {
                    $($byte => Ok(Self::$variant),)*
                    _ => Err(format!("{byte} is not a {}", stringify!($name))),
                }
            }
        }

        impl From<&$name> for u8 {
            fn from(value: &$name) -> u8 {
                *value as u8
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

byte_enum! {
    /// How much an entry matters.
    Level { Err = 0 "ERR", Warn = 1 "WARN", Debug = 2 "DEBUG", Info = 3 "INFO" }
}

byte_enum! {
    /// Which part of a system an entry is from.
    Origin { Server = 0 "Server", Client = 1 "Client", Proxy = 2 "Proxy" }
}

impl Matches for LogText {
    fn matches(&self) -> bool {
        self.meta.level == Level::Err && self.payload.contains(FILTER_TEXT)
    }
}

impl Matches for LogRecord {
    fn matches(&self) -> bool {
        self.meta.level == Level::Err && self.payload.name.contains(FILTER_TEXT)
    }
}

impl Matches for LogSecret {
    fn matches(&self) -> bool {
        self.0.matches()
    }
}

impl Deref for LogSecret {
    type Target = LogRecord;

    fn deref(&self) -> &LogRecord {
        &self.0
    }
}

impl From<LogRecord> for LogSecret {
    fn from(record: LogRecord) -> Self {
        Self(record)
    }
}

impl Message for LogText {
    const SCENARIOS: &'static [Scenario] = scenarios::LOG_TEXT;
}

impl Message for LogRecord {
    const SCENARIOS: &'static [Scenario] = scenarios::LOG_RECORD;
}

impl Message for LogSecret {
    const SCENARIOS: &'static [Scenario] = scenarios::LOG_SECRET;
}

impl Message for LogBlock {
    const SCENARIOS: &'static [Scenario] = scenarios::LOG_BLOCK;
}

/// Offers files of logs, in which each row is a message behind its length.
pub fn serve_logs<C>(runner: Runner<C>) -> Runner<C>
where
    C: Codec<Buffer = Vec<u8>> + Encode<LogText> + Encode<LogRecord>,
    C: for<'a> Decode<'a, LogText> + for<'a> Decode<'a, LogRecord>,
{
    runner
        .files::<Framed<Owned<C>>, LogText>()
        .files::<Framed<Owned<C>>, LogRecord>()
}

/// Offers files of the rows of the log scenarios as raw bytes.
pub fn serve_raw_logs<C>(runner: Runner<C>) -> Runner<C> {
    runner
        .unfiltered_files::<Framed<RawRows>, Raw<LogText>>()
        .unfiltered_files::<Framed<RawRows>, Raw<LogRecord>>()
        .unfiltered_files::<Framed<RawRows>, Raw<LogSecret>>()
        .unfiltered_files::<Framed<RawRows>, Raw<LogBlock>>()
}

/// Bytes: a list of numbers in human-readable formats, bytes in the others.
mod octets {
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer, B: AsRef<[u8]>>(bytes: &B, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.collect_seq(bytes.as_ref())
        } else {
            to.serialize_bytes(bytes.as_ref())
        }
    }

    pub fn deserialize<'d, D: Deserializer<'d>, B: TryFrom<Vec<u8>>>(
        from: D,
    ) -> Result<B, D::Error> {
        if from.is_human_readable() {
            from.deserialize_seq(Octets(PhantomData))
        } else {
            from.deserialize_byte_buf(Octets(PhantomData))
        }
    }

    struct Octets<B>(PhantomData<B>);

    impl<B: TryFrom<Vec<u8>>> Octets<B> {
        fn take<E: Error>(bytes: Vec<u8>) -> Result<B, E> {
            let length = bytes.len();
            B::try_from(bytes)
                .map_err(|_| E::custom(format!("the field has another length than {length} bytes")))
        }
    }

    impl<'d, B: TryFrom<Vec<u8>>> Visitor<'d> for Octets<B> {
        type Value = B;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<B, E> {
            Self::take(bytes.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<B, E> {
            Self::take(bytes)
        }

        fn visit_seq<A: SeqAccess<'d>>(self, mut numbers: A) -> Result<B, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = numbers.next_element()? {
                bytes.push(byte);
            }
            Self::take(bytes)
        }
    }
}

/// Integers of 128 bits as decimal text, since few readers of JSON take numbers of that width.
mod digits {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer, N: Display>(number: &N, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'d, D: Deserializer<'d>, N: FromStr<Err: Display>>(
        from: D,
    ) -> Result<N, D::Error> {
        String::deserialize(from)?.parse().map_err(Error::custom)
    }
}
