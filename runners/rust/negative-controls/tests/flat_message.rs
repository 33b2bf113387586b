//! What the published size is not: FlatMessage with other options.

#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(
        env!("WIRELAB_TYPES"),
        "/rust/flat-message/types.rs"
    ));
}

use flat_message::*;
use serde::Deserialize;
use wirelab_kit::canonical;

/// The published message under options of its own.
macro_rules! process_created {
    ($name:ident, $($option:ident = $value:tt),+) => {
        #[derive(FlatMessage, Deserialize)]
        #[flat_message_options($($option = $value),+)]
        struct $name {
            name: String,
            pid: u32,
            parent_pid: u32,
            parent: String,
            user: String,
            command_line: String,
            timestamp: u32,
            unique_id: u32,
            memory_usage: u64,
            protected_process: bool,
        }
    };
}

process_created!(WithoutName, store_name = false);
process_created!(WithChecksum, checksum = true);

fn encoded_bytes<T: FlatMessageOwned + serde::de::DeserializeOwned>() -> usize {
    let json = include_bytes!("../../messages/testdata/process-created.json");
    let message: T = canonical::read(json).unwrap();
    let mut storage = Storage::default();
    message
        .serialize_to(&mut storage, Config::default())
        .unwrap();
    storage.len()
}

#[test]
fn the_published_size_is_that_of_the_default_options() {
    assert_eq!(encoded_bytes::<types::messages::ProcessCreated>(), 298);
}

#[test]
fn without_its_name_a_message_is_smaller() {
    assert_eq!(encoded_bytes::<WithoutName>(), 294);
}

#[test]
fn with_a_checksum_a_message_is_larger() {
    assert_eq!(encoded_bytes::<WithChecksum>(), 302);
}
