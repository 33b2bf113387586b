//! FlatBuffers as its documentation advises: the verifier first, then every field read in place.

use std::process::ExitCode;

use wirelab_flatbuffers::{INSTEAD, Verified, serve, serve_rows, serve_unfiltered_rows};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Verified>::new(About {
        codec: "rust/flatbuffers-verified",
        format: "FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: true,
        instead: INSTEAD,
        ..About::default()
    })
    .identical("write", "rust/flatbuffers")
    .identical("serialize", "rust/flatbuffers");
    let runner = serve_unfiltered_rows::<Verified, _>(serve(runner));
    serve_rows::<Verified, _>(runner).run()
}
