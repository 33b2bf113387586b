//! brec as published early: written as a storage, read as a stream that skips the headers of the slots.

use std::process::ExitCode;

use wirelab_brec::{StreamedStorage, serve_plain};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<StreamedStorage>::new(About {
        codec: "rust/brec-streamed-storage",
        format: "brec storage",
        library: Some("brec"),
        api: "derive",
        validation: true,
        self_describing: false,
        ..About::default()
    })
    .identical("write", "rust/brec-storage");
    serve_plain::<StreamedStorage, _>(runner).run()
}
