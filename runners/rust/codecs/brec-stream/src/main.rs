//! brec as published: a stream of packets, `write_all` and `PacketBufReader`.

use std::process::ExitCode;

use wirelab_brec::{Stream, serve};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Stream>::new(About {
        codec: "rust/brec-stream",
        format: "brec stream",
        library: Some("brec"),
        api: "derive",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    serve::<Stream, _>(runner).run()
}
