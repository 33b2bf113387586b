//! FlatBuffers as published as “Owned” with encryption: every row is decrypted and copied out, then filtered.

use std::process::ExitCode;

use wirelab_crypt::Cipher;
use wirelab_flatbuffers::crypt::Envelope;
use wirelab_kit::files::{Failure, Framed, Matches, RowMessage};
use wirelab_kit::{About, Runner};
use wirelab_messages::logs::LogSecret;

#[derive(Default)]
struct Owned(Cipher);

impl RowMessage<LogSecret> for Owned {
    type View<'a> = LogSecret;

    fn encode(&mut self, row: &LogSecret, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Envelope::write(row, |bytes| self.0.encrypt(bytes), buffer)
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Envelope::verify(bytes, |bytes| self.0.decrypt(bytes))
    }

    fn view(&mut self, bytes: &[u8]) -> Result<LogSecret, Failure> {
        let opened = Envelope::root(bytes).open(|bytes| self.0.decrypt(bytes))?;
        opened.row()
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<LogSecret>, Failure> {
        let row = self.view(bytes)?;
        Ok(row.matches().then_some(row))
    }

    fn owned(row: LogSecret) -> Result<LogSecret, Failure> {
        Ok(row)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Owned>::new(About {
        codec: "rust/flatbuffers-owned-crypt",
        format: "encrypted FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        self_describing: false,
    })
    .identical("write", "rust/flatbuffers-crypt");
    runner.files::<Framed<Owned>, LogSecret>().run()
}
