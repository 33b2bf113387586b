//! Cap'n Proto packed: the same messages without most of their zeros, which therefore must be unpacked before reading.

use std::process::ExitCode;

use wirelab_capnp::{INSTEAD, Packed, serve_copied};
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
    serve_copied(runner).run()
}
