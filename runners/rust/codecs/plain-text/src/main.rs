//! Plain text as published: lines are formatted before the clock starts; under io=buffered and io=memory, within the clock.

use std::process::ExitCode;

use wirelab_kit::{About, Runner};
use wirelab_text::PlainText;

fn main() -> ExitCode {
    let runner = Runner::<PlainText>::new(About {
        codec: "rust/plain-text",
        format: "text",
        library: Some("serde_json"),
        api: "manual",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_text::serve_files::<PlainText, _>(runner).run()
}
