//! savefile without its schema before each message: `save_noschema` and `load_noschema`.

use std::process::ExitCode;

use savefile::{Deserialize, SavefileError, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Runner};

wirelab_derives::types!("savefile");

/// Of the messages' types, none of which was ever another.
const VERSION: u32 = 0;

#[derive(Default)]
struct Savefile;

impl Codec for Savefile {
    type Buffer = Vec<u8>;
    type EncodeError = SavefileError;
    type DecodeError = SavefileError;
}

impl<T: Serialize> Encode<T> for Savefile {
    fn encode(&mut self, value: &T, buffer: &mut Vec<u8>) -> Result<(), SavefileError> {
        savefile::save_noschema(buffer, VERSION, value)
    }
}

impl<T: Deserialize> Decode<'_, T> for Savefile {
    fn decode(&mut self, mut input: &[u8]) -> Result<T, SavefileError> {
        savefile::load_noschema(&mut input, VERSION)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Savefile>::new(About {
        codec: "rust/savefile",
        format: "Savefile",
        library: Some("savefile"),
        api: "derive",
        validation: true,
        self_describing: false,
        cannot: types::CANNOT,
        ..About::default()
    });
    types::serve(runner).run()
}
