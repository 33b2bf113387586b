//! serde_json as published with encryption: each line of JSON as a whole, behind its length.

use std::process::ExitCode;

use wirelab_crypt::{Sealed, Whole};
use wirelab_kit::files::{Failure, Framed, Matches};
use wirelab_kit::{About, Runner};
use wirelab_messages::logs::{LogRecord, LogSecret};

#[derive(Default)]
struct SerdeJson;

impl Whole for SerdeJson {
    type View = LogRecord;

    fn encode(row: &LogRecord) -> Result<Vec<u8>, Failure> {
        Ok(serde_json::to_vec(row)?)
    }

    fn view(json: Vec<u8>) -> Result<LogRecord, Failure> {
        Ok(serde_json::from_slice(&json)?)
    }

    fn matches(row: &LogRecord) -> bool {
        row.matches()
    }

    fn owned(row: LogRecord) -> Result<LogRecord, Failure> {
        Ok(row)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<SerdeJson>::new(About {
        codec: "rust/serde-json-crypt",
        format: "encrypted JSON",
        library: Some("serde_json"),
        api: "serde",
        validation: true,
        self_describing: true,
    });
    runner.files::<Framed<Sealed<SerdeJson>>, LogSecret>().run()
}
