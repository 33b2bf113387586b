//! Values of any type: what `--type any` reads and writes through a library, and the notation that stands for them.

mod conventions;
mod de;
mod notation;
mod ser;

use std::mem;

pub use notation::{read, write};

/// A value whose type stands in the encoded bytes alone.
///
/// It is made from what serde's `deserialize_any` tells of a message, and serialized as what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Any {
    Null,
    Bool(bool),
    Integer(i128),
    /// An integer beyond an i128.
    Unsigned(u128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Any>),
    /// Keys of any type, in the order of the message; a key may stand twice.
    Map(Vec<(Any, Any)>),
    /// A value with a number that says what it means.
    Tag(u64, Box<Any>),
    /// Bytes with a number that says what they are.
    Ext(i8, Vec<u8>),
    /// A date, a time or both.
    Datetime(String),
    /// A value of a type of the library's own: its name, and its text.
    Other(String, String),
}

impl Any {
    /// Frees the value without recursion, however deeply it is nested.
    pub fn free(self) {
        let mut rest = vec![self];
        while let Some(value) = rest.pop() {
            match value {
                Self::List(items) => rest.extend(items),
                Self::Map(pairs) => rest.extend(pairs.into_iter().flat_map(|(k, v)| [k, v])),
                Self::Tag(_, mut inner) => rest.push(mem::replace(&mut *inner, Self::Null)),
                _ => {}
            }
        }
    }
}
