//! A value of any type out of what a library tells of it.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::Any;
use super::conventions::TAGGED;

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Any, E> {
        Ok(Any::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any::Integer(value.into()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Any, E> {
        Ok(i128::try_from(value).map_or(Any::Unsigned(value), Any::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Any, E> {
        Ok(Any::Text(value))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Any, E> {
        Ok(Any::Bytes(value.to_vec()))
    }

    fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<Any, E> {
        Ok(Any::Bytes(value))
    }

    fn visit_none<E>(self) -> Result<Any, E> {
        Ok(Any::Null)
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Any, D::Error> {
        Any::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Any, A::Error> {
        // Not with the length that the message claims: it is not there yet.
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Any::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Any, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Any::Map(map))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Any, D::Error> {
        Ok(match Any::deserialize(inner)? {
            Any::List(parts) => match <[Any; 2]>::try_from(parts) {
                Ok([Any::Integer(kind), Any::Bytes(data)]) => match i8::try_from(kind) {
                    Ok(kind) => Any::Ext(kind, data),
                    Err(_) => Any::List(vec![Any::Integer(kind), Any::Bytes(data)]),
                },
                Ok(others) => Any::List(others.into()),
                Err(parts) => Any::List(parts),
            },
            other => other,
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, value: A) -> Result<Any, A::Error> {
        let (name, content) = value.variant::<String>()?;
        if name != TAGGED {
            return Err(A::Error::custom(format!(
                "the variant {name} is no value of its own"
            )));
        }
        content.tuple_variant(2, TagVisitor)
    }
}

/// The number of a tag and its value.
struct TagVisitor;

impl<'de> Visitor<'de> for TagVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a tag and its value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Any, A::Error> {
        let missing = |index| A::Error::invalid_length(index, &"a tag and its value");
        let number = parts.next_element()?.ok_or_else(|| missing(0))?;
        let value = parts.next_element()?.ok_or_else(|| missing(1))?;
        Ok(Any::Tag(number, Box::new(value)))
    }
}
