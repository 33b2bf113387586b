//! FlatBuffers as published: the root unchecked, every field read in place.

use std::process::ExitCode;

use wirelab_flatbuffers::{Unchecked, serve, serve_blocks};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Unchecked>::new(About {
        codec: "rust/flatbuffers",
        format: "FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        self_describing: false,
    });
    let runner = serve_blocks::<Unchecked, _>(runner);
    serve::<Unchecked, _>(runner).run()
}
