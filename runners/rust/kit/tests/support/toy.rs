//! A codec that does what the tests tell it to: a message is its number and its text.

use std::fmt;
use std::hint::black_box;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{
    About, Access, Codec, Decode, Encode, Fields, Look, Looked, Message, Runner, Scenario, Update,
    canonical_through,
};

#[derive(Serialize, Deserialize)]
struct Note {
    number: f32,
    text: String,
}

impl Message for Note {
    const SCENARIOS: &'static [Scenario] = &[
        Scenario::single("note").naming().updating(),
        Scenario::rows("notes").updating(),
    ];
    const FEATURES: &'static [&'static str] = &["struct"];
}

/// A note as a library would have it.
#[derive(Clone)]
struct Built(f32, String);

impl From<&Note> for Built {
    fn from(note: &Note) -> Self {
        Self(note.number, note.text.clone())
    }
}

/// The conversion takes memory, and refuses a text.
impl TryFrom<Built> for Note {
    type Error = &'static str;

    fn try_from(Built(number, text): Built) -> Result<Self, &'static str> {
        black_box(Vec::<u8>::with_capacity(10));
        if text == "built alone" {
            return Err("no plain note");
        }
        Ok(Self { number, text })
    }
}

canonical_through!(Built, Note);

impl Message for Built {
    const SCENARIOS: &'static [Scenario] = Note::SCENARIOS;
    const FEATURES: &'static [&'static str] = Note::FEATURES;
}

/// A message that the toy cannot take.
#[derive(Serialize, Deserialize)]
struct Wide(Note);

impl Message for Wide {
    const SCENARIOS: &'static [Scenario] = &[Scenario::single("wide")];
    const FEATURES: &'static [&'static str] = &["struct", "u128"];
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

impl Encode<Built> for Toy {
    fn encode(&mut self, built: &Built, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        let Built(number, text) = built.clone();
        self.encode(&Note { number, text }, buffer)
    }
}

impl Decode<'_, Built> for Toy {
    fn decode(&mut self, input: &[u8]) -> Result<Built, Unreadable> {
        let Note { number, text } = self.decode(input)?;
        Ok(Built(number, text))
    }
}

impl Encode<Wide> for Toy {
    fn encode(&mut self, wide: &Wide, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.encode(&wide.0, buffer)
    }
}

impl Decode<'_, Wide> for Toy {
    fn decode(&mut self, input: &[u8]) -> Result<Wide, Unreadable> {
        self.decode(input).map(Wide)
    }
}

/// A note in its bytes.
struct View<'a>(f32, &'a str);

impl Look for View<'_> {
    fn look(&self, looked: &mut Looked) {
        looked.at(&self.0);
        looked.at(self.1);
    }
}

impl Fields for View<'_> {
    fn look_at_named(&self, looked: &mut Looked) {
        looked.at(self.1);
    }
}

impl Access<Note> for Toy {
    type Root<'a> = View<'a>;

    fn root<'a>(&mut self, input: &'a [u8]) -> Result<View<'a>, Unreadable> {
        let (number, text) = input.split_first_chunk().ok_or(Unreadable)?;
        let text = str::from_utf8(text).map_err(|_| Unreadable)?;
        Ok(View(f32::from_le_bytes(*number), text))
    }
}

/// The number doubles.
impl Update<Note> for Toy {
    fn update(&mut self, message: &mut Vec<u8>) -> Result<(), Unreadable> {
        let number = message.first_chunk_mut().ok_or(Unreadable)?;
        *number = (2.0 * f32::from_le_bytes(*number)).to_le_bytes();
        Ok(())
    }
}

impl Decode<'_, Note> for Toy {
    fn decode(&mut self, input: &[u8]) -> Result<Note, Unreadable> {
        let (number, text) = input.split_first_chunk().ok_or(Unreadable)?;
        match text {
            b"panic" => panic!("a panic\nin the library"),
            b"refused" => return Err(Unreadable),
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
        cannot: &[("u128", "notes are short")],
        instead: &[("map", "a note for each entry")],
    });
    runner
        .identical("deserialize", "rust/other")
        .message::<Note>()
        .message::<Wide>()
        .built::<Built, Note>()
        .accessed::<Note>()
        .updated::<Note>()
        .run()
}
