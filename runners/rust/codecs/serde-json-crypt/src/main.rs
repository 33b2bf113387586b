//! serde_json as published with encryption: each line of JSON as a whole, behind its length.

use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wirelab_crypt::{Sealed, Whole};
use wirelab_kit::files::{Failure, Framed, Matches};
use wirelab_kit::{About, Runner};

#[derive(Default)]
struct SerdeJson;

impl<R: Serialize + DeserializeOwned + Matches> Whole<R> for SerdeJson {
    type View = R;

    fn encode(row: &R) -> Result<Vec<u8>, Failure> {
        Ok(serde_json::to_vec(row)?)
    }

    fn view(json: Vec<u8>) -> Result<R, Failure> {
        Ok(serde_json::from_slice(&json)?)
    }

    fn matches(row: &R) -> bool {
        row.matches()
    }

    fn owned(row: R) -> Result<R, Failure> {
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
        instead: &[("u128", "decimal text")],
        ..About::default()
    });
    wirelab_messages::serve_encrypted_files::<Framed<Sealed<SerdeJson>>, _>(runner).run()
}
