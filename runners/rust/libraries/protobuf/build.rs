//! Has rust-protobuf generate the messages of a set of types, as its documentation does.

use std::env;
use std::path::Path;

use protobuf_codegen::{Codegen, Customize};

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_TYPES");
    let types = env::var("WIRELAB_TYPES").expect("Cargo's configuration sets it");
    let folder = Path::new(&types).join("rust/protobuf");
    println!("cargo::rerun-if-changed={}", folder.display());
    // In a map with an order a message has the same bytes each time.
    Codegen::new()
        .pure()
        .cargo_out_dir("messages")
        .include(&folder)
        .input(folder.join("types.proto"))
        .customize(Customize::default().btreemaps(true))
        .run_from_script();
}
