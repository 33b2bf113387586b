//! FlatBuffers as published with encryption: the attachment is an encrypted buffer of its own within the row's.
//! Filtering decrypts only rows of the right level.

use std::process::ExitCode;

use wirelab_crypt::Cipher;
use wirelab_flatbuffers::crypt::{Envelope, Opened};
use wirelab_kit::files::{Failure, Framed, RowMessage};
use wirelab_kit::{About, Runner};
use wirelab_messages::logs::LogSecret;

#[derive(Default)]
struct FlatBuffers(Cipher);

impl RowMessage<LogSecret> for FlatBuffers {
    type View<'a> = Opened<'a>;

    fn encode(&mut self, row: &LogSecret, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Envelope::write(row, |bytes| self.0.encrypt(bytes), buffer)
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Envelope::verify(bytes, |bytes| self.0.decrypt(bytes))
    }

    fn view<'a>(&mut self, bytes: &'a [u8]) -> Result<Opened<'a>, Failure> {
        let opened = Envelope::root(bytes).open(|bytes| self.0.decrypt(bytes))?;
        opened.touch();
        Ok(opened)
    }

    fn select<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<Opened<'a>>, Failure> {
        let envelope = Envelope::root(bytes);
        if !envelope.is_err() {
            return Ok(None);
        }
        let opened = envelope.open(|bytes| self.0.decrypt(bytes))?;
        Ok(opened.matches().then_some(opened))
    }

    fn owned(opened: Opened<'_>) -> Result<LogSecret, Failure> {
        opened.row()
    }
}

fn main() -> ExitCode {
    let runner = Runner::<FlatBuffers>::new(About {
        codec: "rust/flatbuffers-crypt",
        format: "encrypted FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        self_describing: false,
    });
    runner.files::<Framed<FlatBuffers>, LogSecret>().run()
}
