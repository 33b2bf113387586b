//! A codec that does what the tests tell it to: a message is its number and its text.

use std::fmt;
use std::hint::black_box;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{About, Codec, Decode, Encode, Message, Runner, Scenario};

#[derive(Serialize, Deserialize)]
struct Note {
    number: f32,
    text: String,
}

impl Message for Note {
    const SCENARIOS: &'static [Scenario] = &[Scenario::single("note"), Scenario::rows("notes")];
}

#[derive(Default)]
struct Toy;

/// What is wrong, on two lines, as with some libraries.
struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "not a note\nat all")
    }
}

impl Codec for Toy {
    type Buffer = Vec<u8>;
    type EncodeError = Unreadable;
    type DecodeError = Unreadable;
}

impl Encode<Note> for Toy {
    fn encode(&mut self, note: &Note, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        black_box(Vec::<u8>::with_capacity(100));
        if note.text == "where" {
            // The addresses of what is read and of what is written.
            eprintln!("{} {}", note.text.as_ptr().addr(), buffer.as_ptr().addr());
        }
        buffer.extend_from_slice(&note.number.to_le_bytes());
        buffer.extend_from_slice(note.text.as_bytes());
        Ok(())
    }
}

impl Decode<'_, Note> for Toy {
    fn decode(&mut self, input: &[u8]) -> Result<Note, Unreadable> {
        let (number, text) = input.split_first_chunk().ok_or(Unreadable)?;
        match text {
            b"panic" => panic!("a panic\nin the library"),
            b"greedy" => drop(black_box(vec![1_u8; 1 << 30])),
            b"exit" => unreachable!("validation comes first"),
            _ => {}
        }
        Ok(Note {
            number: f32::from_le_bytes(*number),
            text: str::from_utf8(text).map_err(|_| Unreadable)?.to_owned(),
        })
    }

    fn validate(&mut self, input: &[u8]) -> Result<(), Unreadable> {
        if input.ends_with(b"exit") {
            return Err(Unreadable);
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Toy>::new(About {
        codec: "rust/toy",
        format: "notes",
        library: Some("struson"),
        api: "manual",
        validation: true,
        self_describing: false,
    });
    runner
        .identical("deserialize", "rust/other")
        .message::<Note>()
        .run()
}
