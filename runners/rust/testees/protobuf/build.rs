//! Has rust-protobuf generate the messages of the tests' schemas, as its documentation does.

use std::path::{Path, PathBuf};
use std::{env, fs};

use protobuf_codegen::Codegen;

/// Without editions, which rust-protobuf does not compile.
const SCHEMAS: [&str; 3] = [
    "conformance/conformance.proto",
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/test_messages_proto3.proto",
];

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_SCHEMAS");
    let schemas = env::var("WIRELAB_SCHEMAS").expect("`lab conformance` sets it");
    println!("cargo::rerun-if-changed={schemas}");
    let folder = with_optional_groups(Path::new(&schemas));
    Codegen::new()
        .pure()
        .cargo_out_dir("messages")
        .include(&folder)
        .inputs(SCHEMAS.map(|one| folder.join(one)))
        .run_from_script();
}

/// The schemas without required groups. rust-protobuf leaves groups out of structs, and has no code for a required one
/// that compiles; the tests' only one is in a message that no test reads.
fn with_optional_groups(schemas: &Path) -> PathBuf {
    let folder = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets it")).join("schemas");
    for name in SCHEMAS {
        let text = fs::read_to_string(schemas.join(name)).expect("a schema of the tests");
        let copy = folder.join(name);
        fs::create_dir_all(copy.parent().expect("it is in a folder"))
            .expect("a folder of the build's");
        fs::write(copy, text.replace("required group", "optional group"))
            .expect("a file of the build's");
    }
    folder
}
