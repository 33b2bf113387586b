//! FlatBuffers as its documentation advises: the verifier first, then every field read in place.

use std::process::ExitCode;

use wirelab_flatbuffers::{Verified, serve, serve_blocks};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Verified>::new(About {
        codec: "rust/flatbuffers-verified",
        format: "FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: true,
        self_describing: false,
    })
    .identical("write", "rust/flatbuffers");
    let runner = serve_blocks::<Verified, _>(runner);
    serve::<Verified, _>(runner).run()
}
