//! prost as published with encryption: a part of each row is encrypted bytes in the message. Filtering decrypts every row.

#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/prost/types.rs"));
}

use std::process::ExitCode;

use wirelab_kit::files::Failure;
use wirelab_kit::{About, Runner};

#[derive(Default)]
struct Cipher(wirelab_crypt::Cipher);

impl wirelab_prost::rows::Cipher for Cipher {
    fn encrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.encrypt(bytes)
    }

    fn decrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.decrypt(bytes)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Cipher>::new(About {
        codec: "rust/prost-crypt",
        format: "encrypted Protocol Buffers",
        library: Some("prost"),
        api: "derive",
        validation: true,
        instead: wirelab_prost::INSTEAD,
        ..About::default()
    });
    types::serve_sealed::<Cipher, _>(runner).run()
}
