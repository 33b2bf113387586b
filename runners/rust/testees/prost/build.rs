//! Has prost generate the messages of the tests' schemas, as its documentation does.

use std::env;
use std::path::Path;

/// Without editions, which prost does not compile.
const SCHEMAS: [&str; 3] = [
    "conformance/conformance.proto",
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/test_messages_proto3.proto",
];

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_SCHEMAS");
    let schemas = env::var("WIRELAB_SCHEMAS").expect("`lab conformance` sets it");
    println!("cargo::rerun-if-changed={schemas}");
    prost_build::Config::new()
        .compile_well_known_types()
        .include_file("messages.rs")
        .compile_protos(&SCHEMAS, &[Path::new(&schemas)])
        .expect("prost generates code of the schemas");
}
