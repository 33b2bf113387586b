//! FlatBuffers as published as “Owned”: the root unchecked, everything copied out.

use std::process::ExitCode;

use wirelab_flatbuffers::{Copied, INSTEAD, serve_rows};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Copied>::new(About {
        codec: "rust/flatbuffers-owned",
        format: "FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        instead: INSTEAD,
        ..About::default()
    })
    .identical("write", "rust/flatbuffers");
    serve_rows::<Copied, _>(runner).run()
}
