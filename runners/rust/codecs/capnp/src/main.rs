//! Cap'n Proto as documented: a message is built in scratch space, written, and read where it lies.

use std::process::ExitCode;

use wirelab_capnp::{INSTEAD, Plain, serve};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Plain>::new(About {
        codec: "rust/capnp",
        format: "Cap'n Proto",
        library: Some("capnp"),
        api: "generated",
        validation: true,
        instead: INSTEAD,
        ..About::default()
    });
    serve(runner).run()
}
