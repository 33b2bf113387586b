//! A value of any type as serde's words for it, or a library's own.

use serde::ser::{Error, Serialize, SerializeStruct, SerializeTupleVariant, Serializer};

use super::Any;
use super::conventions::{DATETIME, DATETIME_TEXT, EXT, TAG, TAGGED};

impl Serialize for Any {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => integer(*value, serializer),
            Self::Unsigned(value) => serializer.serialize_u128(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(pairs) => {
                serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
            }
            Self::Tag(number, value) => {
                let mut tagged = serializer.serialize_tuple_variant(TAG, 0, TAGGED, 2)?;
                tagged.serialize_field(number)?;
                tagged.serialize_field(value)?;
                tagged.end()
            }
            Self::Ext(kind, data) => serializer.serialize_newtype_struct(EXT, &(kind, Bytes(data))),
            Self::Datetime(text) => {
                let mut datetime = serializer.serialize_struct(DATETIME, 1)?;
                datetime.serialize_field(DATETIME_TEXT, text)?;
                datetime.end()
            }
            Self::Other(kind, _) => Err(S::Error::custom(format!("there is no form for {kind}"))),
        }
    }
}

/// As the smallest of 32, 64 and 128 bits: some formats have types for them.
fn integer<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(value) = value.try_into() {
        serializer.serialize_i32(value)
    } else if let Ok(value) = value.try_into() {
        serializer.serialize_i64(value)
    } else if let Ok(value) = value.try_into() {
        serializer.serialize_u64(value)
    } else {
        serializer.serialize_i128(value)
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
