//! Everything that is done for a cell before the clock starts.

use std::borrow::Borrow;
use std::path::Path;

use crate::measuring::step::{RoundTripCompressed, Step};
use crate::measuring::timing::{Rows, Single};
use crate::measuring::workload::{self, DropInside, DropOutside, UpdateInPlace, Workload};
use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Decode, Encode, InputOf, StoredOf, Update};
use crate::model::compression::{Compression, Scratch};
use crate::model::message::{self, Message};

/// What a cell is measured with.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Whether the scenario has many messages.
    pub rows: bool,
    /// The folder for the files of file operations.
    pub work: &'a Path,
}

/// Prepares a cell from the canonical JSON of its scenario: one message, or rows.
pub type Prepare = fn(setting: Setting, json: &[u8]) -> Result<Prepared, String>;

/// A cell that is ready to be measured.
pub struct Prepared {
    pub workload: Box<dyn Workload>,
    /// Encoded bytes of a repetition: the sum over its messages, without their frames.
    pub encoded_bytes: u64,
}

/// A step of a codec whose inputs are values.
pub fn values<C, T, S>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T>,
    T: Message,
    S: Step<Input = T>,
{
    let values = message::read::<T>(setting.rows, json)?;
    let encoded_bytes = encode::<C, T>(&values)?.bytes;
    Ok(Prepared {
        workload: drop_inside::<T, S, T>(setting.rows, values),
        encoded_bytes,
    })
}

/// A round trip of a codec through a compression.
pub(crate) fn compressed<C, T, K>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T> + for<'a> Decode<'a, T>,
    T: Message,
    K: Compression,
{
    let values = message::read::<T>(setting.rows, json)?;
    let encoded = encode::<C, T>(&values)?;
    let mut messages = encoded.messages.iter().map(|stored| {
        let message: &InputOf<C> = stored.borrow();
        message.as_bytes()
    });
    let encoded_bytes = compressed_bytes::<K>(&mut messages)?;
    Ok(Prepared {
        workload: drop_inside::<T, RoundTripCompressed<C, T, K>, T>(setting.rows, values),
        encoded_bytes,
    })
}

/// The sum of the sizes of compressed messages.
fn compressed_bytes<K: Compression>(
    messages: &mut dyn Iterator<Item = &[u8]>,
) -> Result<u64, String> {
    let (mut compression, mut scratch) = (K::default(), Scratch::default());
    let mut sum = 0;
    for message in messages {
        compression
            .compress(message, &mut scratch)
            .map_err(|e| e.to_string())?;
        sum += scratch.as_bytes().len() as u64;
    }
    Ok(sum)
}

/// A step of a codec whose inputs are encoded messages.
pub fn encoded<C, T, S>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T>,
    T: Message,
    S: Step<Input = InputOf<C>>,
{
    let encoded = encode::<C, T>(&message::read(setting.rows, json)?)?;
    Ok(Prepared {
        workload: drop_inside::<T, S, _>(setting.rows, encoded.messages),
        encoded_bytes: encoded.bytes,
    })
}

/// As [`encoded`], with outputs that are dropped outside the clock.
pub fn encoded_keeping<C, T, S, O>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T>,
    T: Message,
    S: for<'a> Step<Input = InputOf<C>, Output<'a> = O>,
    O: 'static,
{
    let encoded = encode::<C, T>(&message::read(setting.rows, json)?)?;
    Ok(Prepared {
        workload: drop_outside::<T, S, _, O>(setting.rows, encoded.messages),
        encoded_bytes: encoded.bytes,
    })
}

/// Encoded messages of a codec that are changed in place.
pub fn updated<C, T>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T> + Update<T>,
    T: Message,
{
    let encoded = encode::<C, T>(&message::read(setting.rows, json)?)?;
    let of_one: fn(&StoredOf<C>) -> StoredOf<C> =
        |message| workload::copy::<InputOf<C>>(message.borrow());
    let workload: Box<dyn Workload> = if T::HAS_ROWS && (setting.rows || !T::HAS_SINGLE) {
        let messages: Vec<_> = encoded.messages.iter().map(of_one).collect();
        Box::new(UpdateInPlace::<C, T, _>::new(messages, encoded.messages))
    } else {
        let Single(message) = only(encoded.messages);
        Box::new(UpdateInPlace::<C, T, _>::new(
            [of_one(&message)],
            vec![message],
        ))
    };
    Ok(Prepared {
        workload,
        encoded_bytes: encoded.bytes,
    })
}

/// A step of a codec whose inputs are plain values, of which it makes messages of the library.
pub fn built<C, T, P, S>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    C: Encode<T>,
    T: for<'p> From<&'p P>,
    P: Message,
    S: Step<Input = P>,
{
    let values = message::read::<P>(setting.rows, json)?;
    let messages: Vec<T> = values.iter().map(T::from).collect();
    let encoded_bytes = encode::<C, T>(&messages)?.bytes;
    Ok(Prepared {
        workload: drop_inside::<P, S, P>(setting.rows, values),
        encoded_bytes,
    })
}

/// A step whose inputs are values, without a codec.
pub fn unencoded<T, S>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    T: Message,
    S: Step<Input = T>,
{
    Ok(Prepared {
        workload: drop_inside::<T, S, T>(setting.rows, message::read(setting.rows, json)?),
        encoded_bytes: 0,
    })
}

/// As [`unencoded`], with outputs that are dropped outside the clock.
pub fn unencoded_keeping<T, S, O>(setting: Setting, json: &[u8]) -> Result<Prepared, String>
where
    T: Message,
    S: for<'a> Step<Input = T, Output<'a> = O>,
    O: 'static,
{
    Ok(Prepared {
        workload: drop_outside::<T, S, T, O>(setting.rows, message::read(setting.rows, json)?),
        encoded_bytes: 0,
    })
}

/// The messages that a codec encoded.
struct Encoded<M> {
    messages: Vec<M>,
    bytes: u64,
}

fn encode<C: Encode<T>, T>(values: &[T]) -> Result<Encoded<StoredOf<C>>, String> {
    let mut codec = C::default();
    let mut encoded = Encoded {
        messages: Vec::with_capacity(values.len()),
        bytes: 0,
    };
    let mut buffer = C::Buffer::default();
    for value in values {
        buffer.clear();
        codec
            .encode(value, &mut buffer)
            .map_err(|e| e.to_string())?;
        let bytes = buffer.as_input().as_bytes();
        encoded.bytes += bytes.len() as u64;
        encoded.messages.push(InputOf::<C>::store(bytes));
    }
    Ok(encoded)
}

fn drop_inside<T, S, M>(rows: bool, messages: Vec<M>) -> Box<dyn Workload>
where
    T: Message,
    S: Step<Input: 'static>,
    M: Borrow<S::Input> + 'static,
{
    if T::HAS_ROWS && (rows || !T::HAS_SINGLE) {
        Box::new(DropInside::<S, _>::new(Rows(messages)))
    } else {
        Box::new(DropInside::<S, _>::new(only(messages)))
    }
}

fn drop_outside<T, S, M, O>(rows: bool, messages: Vec<M>) -> Box<dyn Workload>
where
    T: Message,
    S: for<'a> Step<Input: 'static, Output<'a> = O>,
    M: Borrow<S::Input> + 'static,
    O: 'static,
{
    if T::HAS_ROWS && (rows || !T::HAS_SINGLE) {
        Box::new(DropOutside::<S, _, O>::new(Rows(messages)))
    } else {
        Box::new(DropOutside::<S, _, O>::new(only(messages)))
    }
}

/// The message of a scenario without rows.
fn only<M>(messages: Vec<M>) -> Single<M> {
    let message = messages.into_iter().next();
    Single(message.expect("an input without a value is refused when it is read"))
}
