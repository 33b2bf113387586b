//! brec as published: packets in a storage of slots, `Writer` and `Reader`.

use std::process::ExitCode;

use wirelab_brec::{Storage, serve};
use wirelab_kit::{About, Runner};

fn main() -> ExitCode {
    let runner = Runner::<Storage>::new(About {
        codec: "rust/brec-storage",
        format: "brec storage",
        library: Some("brec"),
        api: "derive",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    serve::<Storage, _>(runner).run()
}
