//! FlatBuffers as published as “Owned” with encryption: every row is decrypted and copied out, then filtered.

use std::process::ExitCode;

use wirelab_flatbuffers::{CopiedSealed, INSTEAD, serve_sealed};
use wirelab_kit::files::Failure;
use wirelab_kit::{About, Runner};

#[derive(Default)]
struct Cipher(wirelab_crypt::Cipher);

impl wirelab_flatbuffers::Cipher for Cipher {
    fn encrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.encrypt(bytes)
    }

    fn decrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.decrypt(bytes)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Cipher>::new(About {
        codec: "rust/flatbuffers-owned-crypt",
        format: "encrypted FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        instead: INSTEAD,
        ..About::default()
    })
    .identical("write", "rust/flatbuffers-crypt");
    serve_sealed::<CopiedSealed<Cipher>, _>(runner).run()
}
