//! Rows as brec's packets: of the types that say what is a block and what is a payload.
//!
//! brec generates one packet type for each crate, from all blocks and payloads in it; so its three codecs share this one.

#![allow(
    unused_imports,
    unused_macros,
    reason = "a set of types may have no payloads, no rows and no filter"
)]
#![allow(
    clippy::clone_on_copy,
    clippy::redundant_field_names,
    reason = "a block may be of numbers alone, and a payload a text"
)]

mod rows;
mod storage;
mod stream;

use std::collections::BTreeMap;

use brec::prelude::*;
use serde::{Deserialize, Serialize};
use wirelab_kit::Runner;
use wirelab_kit::files::{Failure, RowFile};
use wirelab_messages as plain;

use rows::{Row, before, whole};
pub use storage::Storage;
pub use stream::{Stream, StreamedStorage};

include!(concat!(env!("WIRELAB_TYPES"), "/rust/brec/types.rs"));
