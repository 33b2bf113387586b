//! Encryption, the same for all codecs: brec's `CryptCodec`, which is ChaCha20-Poly1305 with a session key that RSA-OAEP
//! wraps, and a random nonce for each row.

mod sealed;

use brec::prelude::{CryptCodec, CryptPolicy, DecryptOptions, EncryptOptions};
use wirelab_kit::files::{Failure, key_file};

pub use sealed::{Sealed, Whole};

/// How many messages one session key encrypts, as published.
const SESSION: u32 = 500;

/// The key's name in each envelope.
const KEY_ID: &[u8] = b"wirelab";

/// Encryption with the scenario's public key.
pub fn encrypt_options() -> Result<EncryptOptions, Failure> {
    let options = EncryptOptions::from_public_key_pem_file(key_file("public.pem")?)?;
    Ok(options.with_policy(policy()).with_key_id(KEY_ID))
}

/// Decryption with the scenario's private key.
pub fn decrypt_options() -> Result<DecryptOptions, Failure> {
    let options = DecryptOptions::from_private_key_pem_file(key_file("private.pem")?)?;
    Ok(options.with_policy(policy()).with_expected_key_id(KEY_ID))
}

fn policy() -> CryptPolicy {
    CryptPolicy {
        session_reuse_limit: SESSION,
        ..CryptPolicy::default()
    }
}

/// Encrypts and decrypts bytes. Its keys are read on first use.
#[derive(Default)]
pub struct Cipher {
    encrypt: Option<EncryptOptions>,
    decrypt: Option<DecryptOptions>,
}

impl Cipher {
    pub fn encrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        let options = match &mut self.encrypt {
            Some(options) => options,
            none => none.insert(encrypt_options()?),
        };
        Ok(CryptCodec::encrypt(bytes, options)?)
    }

    /// # Errors
    /// Where the bytes are not an envelope, were changed, or need another key.
    pub fn decrypt(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        let options = match &mut self.decrypt {
            Some(options) => options,
            none => none.insert(decrypt_options()?),
        };
        let decrypted = CryptCodec::decrypt(bytes, options);
        decrypted.map_err(|error| format!("does not decrypt with this key: {error}").into())
    }
}
