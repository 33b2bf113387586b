//! Rows of logs as brec's packets: one block of metadata and one payload, or one block of numbers.
//!
//! brec generates one packet type for each crate, from all blocks and payloads in it; so its three codecs share this one.

mod rows;
mod storage;
mod stream;

use std::collections::BTreeMap;

use brec::prelude::*;
use serde::{Deserialize, Serialize};
use wirelab_messages::logs::{Level, Origin};

pub use storage::Storage;
pub use stream::{Stream, StreamedStorage};

#[block]
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Metadata {
    pub level: Level,
    pub target: Origin,
    pub tm: u64,
}

#[block]
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Borrowed {
    pub field_u8: u8,
    pub field_u16: u16,
    pub field_u32: u32,
    pub field_u64: u64,
    pub field_u128: u128,
    pub field_i8: i8,
    pub field_i16: i16,
    pub field_i32: i32,
    pub field_i64: i64,
    pub field_i128: i128,
    pub field_f32: f32,
    pub field_f64: f64,
    pub field_bool: bool,
    pub blob_a: [u8; 100],
    pub blob_b: [u8; 255],
}

#[payload(bincode)]
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Attachment {
    pub uuid: String,
    pub name: String,
    pub chunk: u32,
    pub data: Vec<u8>,
    pub fields: BTreeMap<String, String>,
}

#[payload(bincode, crypt)]
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Secret {
    pub uuid: String,
    pub name: String,
    pub chunk: u32,
    pub data: Vec<u8>,
    pub fields: BTreeMap<String, String>,
}

brec::generate!();
