//! `encode` and `decode`: canonical JSON to a codec's bytes and back.

use std::borrow::Borrow;

use crate::base::frames;
use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Decode, Encode, InputOf, Update};
use crate::model::compression::Transform;
use crate::model::message::{self, Message, Scenario};
use crate::model::product::Product;

/// The transformations of a message type that the commands run for a scenario.
#[derive(Clone)]
pub struct Transcoder {
    pub scenario: Scenario,
    /// Canonical JSON to encoded messages.
    pub encode: Transcode,
    /// Encoded messages to canonical JSON.
    pub decode: Transcode,
    /// The bytes of a file to canonical JSON of the rows that match the scenario's filter.
    pub filter: Option<Transcode>,
    /// Encoded messages to the same with the scenario's update, made in place.
    pub update: Option<Transcode>,
}

/// Turns the whole input of a command, one message or rows, into its whole output.
pub type Transcode = fn(rows: bool, input: &[u8]) -> Result<Vec<u8>, String>;

impl Transcoder {
    pub fn of<C: Encode<T> + for<'a> Decode<'a, T>, T: Message>(scenario: Scenario) -> Self {
        Self {
            scenario,
            encode: encode::<C, T>,
            decode: decode::<C, T>,
            filter: None,
            update: None,
        }
    }
}

fn encode<C: Encode<T>, T: Message>(rows: bool, json: &[u8]) -> Result<Vec<u8>, String> {
    let mut codec = C::default();
    let mut buffer = C::Buffer::default();
    let mut product = Product::new(rows);
    for value in message::read::<T>(rows, json)? {
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

/// Changes encoded messages in place, as the scenario says.
pub fn update<C: Update<T> + for<'a> Decode<'a, T>, T>(
    rows: bool,
    messages: &[u8],
) -> Result<Vec<u8>, String> {
    let mut product = Product::new(rows);
    if rows {
        for message in frames::read(messages) {
            update_one::<C, T>(message?, &mut product)?;
        }
    } else {
        update_one::<C, T>(messages, &mut product)?;
    }
    Ok(product.into_bytes())
}

/// Compresses or decompresses each encoded message of a command.
pub fn transform(rows: bool, messages: &[u8], transform: Transform) -> Result<Vec<u8>, String> {
    let mut product = Product::new(rows);
    if rows {
        for message in frames::read(messages) {
            product.message(&transform(message?).map_err(|e| e.to_string())?)?;
        }
    } else {
        product.message(&transform(messages).map_err(|e| e.to_string())?)?;
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
    product.decoded(&value)
}

fn update_one<C: Update<T> + for<'a> Decode<'a, T>, T>(
    bytes: &[u8],
    product: &mut Product,
) -> Result<(), String> {
    let mut message = InputOf::<C>::store(bytes);
    C::default()
        .validate(message.borrow())
        .map_err(|e| e.to_string())?;
    C::default()
        .update(&mut message)
        .map_err(|e| e.to_string())?;
    let updated: &InputOf<C> = message.borrow();
    product.message(updated.as_bytes())
}
