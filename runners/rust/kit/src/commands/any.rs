//! `--type any`: the notation of values to a codec's bytes and back, without a message type.

use std::borrow::Borrow;
use std::fmt::Display;

use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Decode, Encode, InputOf};
use crate::schemaless::{self, Any};

type AnyEncode = dyn Fn(&Any) -> Result<Vec<u8>, String>;
type AnyDecode = dyn Fn(&[u8]) -> Result<Any, String>;

/// How a codec takes values of any type.
pub struct AnyTranscoder {
    /// The keys of the notation that it has a form for, beyond those that every codec has.
    forms: &'static [&'static str],
    encode: Box<AnyEncode>,
    decode: Box<AnyDecode>,
}

impl AnyTranscoder {
    /// Through two functions of the codec.
    pub fn new<E: Display, D: Display>(
        forms: &'static [&'static str],
        encode: impl Fn(&Any) -> Result<Vec<u8>, E> + 'static,
        decode: impl Fn(&[u8]) -> Result<Any, D> + 'static,
    ) -> Self {
        Self {
            forms,
            encode: Box::new(move |value| encode(value).map_err(|e| e.to_string())),
            decode: Box::new(move |input| decode(input).map_err(|e| e.to_string())),
        }
    }

    /// Through what encodes and decodes the codec's messages.
    pub fn of<C: Encode<Any> + for<'a> Decode<'a, Any>>(forms: &'static [&'static str]) -> Self {
        Self::new(forms, encode::<C>, decode::<C>)
    }

    /// A line of notation to encoded bytes.
    pub fn encode(&self, line: &[u8]) -> Result<Vec<u8>, String> {
        let value = schemaless::read(line, self.forms)?;
        let encoded = (self.encode)(&value);
        value.free();
        encoded
    }

    /// Encoded bytes to a line of notation.
    pub fn decode(&self, input: &[u8]) -> Result<Vec<u8>, String> {
        let value = (self.decode)(input)?;
        let line = schemaless::write(&value, self.forms);
        value.free();
        line
    }
}

fn encode<C: Encode<Any>>(value: &Any) -> Result<Vec<u8>, C::EncodeError> {
    let mut buffer = C::Buffer::default();
    C::default().encode(value, &mut buffer)?;
    Ok(buffer.as_input().as_bytes().to_vec())
}

fn decode<C: for<'a> Decode<'a, Any>>(input: &[u8]) -> Result<Any, C::DecodeError> {
    let mut codec = C::default();
    let stored = InputOf::<C>::store(input);
    codec.decode(stored.borrow())
}
