//! Has buffa generate the messages of the tests' schemas, as its documentation does.

use std::env;
use std::path::Path;

use buffa_build::Config;

const SCHEMAS: [&str; 6] = [
    "conformance/conformance.proto",
    "google/protobuf/test_messages_edition2023.proto",
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/test_messages_proto2_editions.proto",
    "google/protobuf/test_messages_proto3.proto",
    "google/protobuf/test_messages_proto3_editions.proto",
];

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_SCHEMAS");
    let schemas = env::var("WIRELAB_SCHEMAS").expect("`lab conformance` sets it");
    println!("cargo::rerun-if-changed={schemas}");
    let schemas = Path::new(&schemas);
    Config::new()
        .files(&SCHEMAS.map(|one| schemas.join(one)))
        .includes(&[schemas])
        .allow_message_set(true)
        .include_file("messages.rs")
        .compile()
        .expect("buffa generates code of the schemas");
}
