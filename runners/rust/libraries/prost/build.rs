//! Generates the messages of schemas/log-records.proto; protox reads it, so that no protoc is needed.

use std::error::Error;

const SCHEMAS: &str = "../../../../schemas";
const PROTO: &str = "log-records.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SCHEMAS}/{PROTO}");
    let mut config = prost_build::Config::new();
    // As the rows have it, and so that a row has one encoding.
    config.btree_map(["."]);
    config.compile_fds(protox::compile([PROTO], [SCHEMAS])?)?;
    Ok(())
}
