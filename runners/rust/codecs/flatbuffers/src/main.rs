//! FlatBuffers as published: the root unchecked, every field read in place.

use std::process::ExitCode;

use wirelab_flatbuffers::{INSTEAD, Unchecked, serve, serve_rows, serve_unfiltered_rows};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Unchecked>::new(About {
        codec: "rust/flatbuffers",
        format: "FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        instead: INSTEAD,
        ..About::default()
    });
    let runner = serve_unfiltered_rows::<Unchecked, _>(serve(runner));
    serve_rows::<Unchecked, _>(runner).run()
}
