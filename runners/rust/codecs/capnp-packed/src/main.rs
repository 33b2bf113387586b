//! Cap'n Proto packed: the same messages without most of their zeros, which are unpacked before they are read.

use std::process::ExitCode;

use wirelab_capnp::{INSTEAD, Packed, serve};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Packed>::new(About {
        codec: "rust/capnp-packed",
        format: "Cap'n Proto packed",
        library: Some("capnp"),
        api: "generated",
        validation: true,
        instead: INSTEAD,
        ..About::default()
    });
    serve(runner).run()
}
