//! Has capnpc generate the code of a schema that Cap'n Proto's compiler has read: its request lies beside the schema.

use std::path::Path;
use std::{env, fs};

use capnpc::codegen::CodeGenerationCommand;

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_TYPES");
    let types = env::var("WIRELAB_TYPES").expect("Cargo's configuration sets it");
    let request = Path::new(&types).join("rust/capnp/types.request");
    println!("cargo::rerun-if-changed={}", request.display());
    let request = fs::read(&request).expect("the lab writes it before it calls Cargo");
    if request.starts_with(b"refused: ") {
        panic!("{}", String::from_utf8_lossy(&request));
    }
    CodeGenerationCommand::new()
        .output_directory(env::var("OUT_DIR").expect("Cargo sets it"))
        .run(&request[..])
        .expect("the schema was compiled");
}
