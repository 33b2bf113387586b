//! `encode` and `decode`: canonical JSON to a codec's bytes and back.

use std::borrow::Borrow;

use crate::codec::{Buffer, Decode, Encode, Input, InputOf, Message, Scenario};
use crate::compression::Whole;
use crate::product::Product;
use crate::{frames, prepare};

/// What a message type gives the two commands for a scenario.
#[derive(Clone)]
pub struct Transcoder {
    pub scenario: Scenario,
    /// Canonical JSON to encoded messages.
    pub encode: Transcode,
    /// Encoded messages to canonical JSON.
    pub decode: Transcode,
    /// A file to canonical JSON of the rows that the scenario's filter takes.
    pub filter: Option<Transcode>,
}

/// Turns the whole input of a command into its whole output, of one message or of rows.
pub type Transcode = fn(rows: bool, input: &[u8]) -> Result<Vec<u8>, String>;

impl Transcoder {
    pub fn of<C: Encode<T> + for<'a> Decode<'a, T>, T: Message>(scenario: Scenario) -> Self {
        Self {
            scenario,
            encode: encode::<C, T>,
            decode: decode::<C, T>,
            filter: None,
        }
    }
}

fn encode<C: Encode<T>, T: Message>(rows: bool, json: &[u8]) -> Result<Vec<u8>, String> {
    let mut codec = C::default();
    let mut buffer = C::Buffer::default();
    let mut product = Product::new(rows);
    for value in prepare::read::<T>(rows, json)? {
        buffer.clear();
        codec
            .encode(&value, &mut buffer)
            .map_err(|e| e.to_string())?;
        product.message(buffer.as_input().as_bytes())?;
    }
    Ok(product.into_bytes())
}

fn decode<C: for<'a> Decode<'a, T>, T: Message>(
    rows: bool,
    bytes: &[u8],
) -> Result<Vec<u8>, String> {
    let mut product = Product::new(rows);
    if rows {
        for message in frames::read(bytes) {
            decode_one::<C, T>(message?, &mut product)?;
        }
    } else {
        decode_one::<C, T>(bytes, &mut product)?;
    }
    Ok(product.into_bytes())
}

/// Each encoded message of a command through a compression, one way or the other.
pub fn each(rows: bool, messages: &[u8], way: Whole) -> Result<Vec<u8>, String> {
    let mut product = Product::new(rows);
    if rows {
        for message in frames::read(messages) {
            product.message(&way(message?).map_err(|e| e.to_string())?)?;
        }
    } else {
        product.message(&way(messages).map_err(|e| e.to_string())?)?;
    }
    Ok(product.into_bytes())
}

fn decode_one<C: for<'a> Decode<'a, T>, T: Message>(
    bytes: &[u8],
    product: &mut Product,
) -> Result<(), String> {
    let mut codec = C::default();
    let stored = InputOf::<C>::store(bytes);
    let input = stored.borrow();
    codec.validate(input).map_err(|e| e.to_string())?;
    let value = codec.decode(input).map_err(|e| e.to_string())?;
    product.value(&value)
}
