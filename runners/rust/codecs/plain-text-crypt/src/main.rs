//! Plain text as published with encryption: each line as a whole, behind its length.

use std::process::ExitCode;

use wirelab_crypt::{Sealed, Whole};
use wirelab_kit::files::{Failure, Framed};
use wirelab_kit::{About, Runner};
use wirelab_text::Line;

#[derive(Default)]
struct PlainText;

impl<R: Line> Whole<R> for PlainText {
    type View = String;

    fn encode(row: &R) -> Result<Vec<u8>, Failure> {
        let mut line = Vec::new();
        row.format(&mut line)?;
        Ok(line)
    }

    fn view(line: Vec<u8>) -> Result<String, Failure> {
        Ok(String::from_utf8(line)?)
    }

    fn matches(line: &String) -> bool {
        R::matches_as_published(line)
    }

    fn owned(line: String) -> Result<R, Failure> {
        R::parse(&line)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<PlainText>::new(About {
        codec: "rust/plain-text-crypt",
        format: "encrypted text",
        library: Some("serde_json"),
        api: "manual",
        validation: true,
        self_describing: false,
        ..About::default()
    });
    wirelab_text::serve_encrypted_files::<Framed<Sealed<PlainText>>, _>(runner).run()
}
