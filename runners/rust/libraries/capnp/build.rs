//! Has capnpc generate the code of a schema that `capnp compile` has read: its request lies beside the schema.

use std::env;
use std::fs::File;
use std::path::Path;

use capnpc::codegen::CodeGenerationCommand;

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_TYPES");
    let types = env::var("WIRELAB_TYPES").expect("Cargo's configuration sets it");
    let request = Path::new(&types).join("rust/capnp/types.request");
    println!("cargo::rerun-if-changed={}", request.display());
    let file = File::open(&request).expect("the lab writes it before it calls Cargo");
    CodeGenerationCommand::new()
        .output_directory(env::var("OUT_DIR").expect("Cargo sets it"))
        .run(file)
        .expect("the schema was compiled");
}
