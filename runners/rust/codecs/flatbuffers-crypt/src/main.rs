//! FlatBuffers as published with encryption: a part of each row is an encrypted buffer of its own within the row's.
//! Filtering decrypts only rows that match in the rest.

use std::process::ExitCode;

use wirelab_flatbuffers::{INSTEAD, Sealed, serve_sealed};
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
        codec: "rust/flatbuffers-crypt",
        format: "encrypted FlatBuffers",
        library: Some("flatbuffers"),
        api: "generated",
        validation: false,
        instead: INSTEAD,
        ..About::default()
    });
    serve_sealed::<Sealed<Cipher>, _>(runner).run()
}
