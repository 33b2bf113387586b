//! Has buffa generate the messages of a set of types, as its documentation does.

use std::env;
use std::path::Path;

use buffa_build::{Config, MapRepr};

fn main() {
    println!("cargo::rerun-if-env-changed=WIRELAB_TYPES");
    let types = env::var("WIRELAB_TYPES").expect("Cargo's configuration sets it");
    let folder = Path::new(&types).join("rust/buffa");
    println!("cargo::rerun-if-changed={}", folder.display());
    // In a map with an order a message has the same bytes each time.
    Config::new()
        .descriptor_set(folder.join("types.binpb"))
        .files(&["types.proto"])
        .map_type(MapRepr::BTreeMap)
        .compile()
        .expect("buffa generates code of types.binpb");
}
