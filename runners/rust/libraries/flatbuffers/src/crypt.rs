//! Rows whose attachment is an encrypted buffer. The caller provides the encryption.

use wirelab_kit::files::Failure;
use wirelab_messages::logs::{FILTER_TEXT, LogRecord, LogSecret};

use crate::rows::{
    Builder, attachment_row, build_attachment, build_meta, is_err, meta_row, touch_attachment,
    touch_meta,
};
use crate::tables::{Attachment, RecordCrypt, RecordCryptArgs};

/// A row's table with its attachment still encrypted.
pub struct Envelope<'a>(RecordCrypt<'a>);

/// A row's table with the bytes of its attachment, decrypted.
pub struct Opened<'a> {
    record: RecordCrypt<'a>,
    attachment: Vec<u8>,
}

impl<'a> Envelope<'a> {
    /// Appends a row's buffer, with new builders as published.
    pub fn write(
        row: &LogSecret,
        encrypt: impl FnOnce(&[u8]) -> Result<Vec<u8>, Failure>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let mut inner = Builder::new();
        let attachment = build_attachment(&row.payload, &mut inner);
        inner.finish_minimal(attachment);
        let encrypted = encrypt(inner.finished_data())?;

        let mut builder = Builder::new();
        let meta = Some(build_meta(&row.meta, &mut builder));
        let payload = Some(builder.create_vector(&encrypted));
        let root = RecordCrypt::create(&mut builder, &RecordCryptArgs { meta, payload });
        builder.finish_minimal(root);
        buffer.extend_from_slice(builder.finished_data());
        Ok(())
    }

    /// The root of a row's buffer, unchecked.
    pub fn root(bytes: &'a [u8]) -> Self {
        // SAFETY: measured bytes were written by this program; bytes from outside have passed `verify`.
        Self(unsafe { flatbuffers::root_unchecked::<RecordCrypt<'a>>(bytes) })
    }

    /// Verifies a row's buffer and the encrypted buffer within it.
    pub fn verify(
        bytes: &[u8],
        decrypt: impl FnOnce(&[u8]) -> Result<Vec<u8>, Failure>,
    ) -> Result<(), Failure> {
        let record = flatbuffers::root::<RecordCrypt>(bytes)?;
        flatbuffers::root::<Attachment>(&decrypt(record.payload().bytes())?)?;
        Ok(())
    }

    pub fn is_err(&self) -> bool {
        is_err(self.0.meta())
    }

    pub fn open(
        self,
        decrypt: impl FnOnce(&[u8]) -> Result<Vec<u8>, Failure>,
    ) -> Result<Opened<'a>, Failure> {
        let attachment = decrypt(self.0.payload().bytes())?;
        Ok(Opened {
            record: self.0,
            attachment,
        })
    }
}

impl Opened<'_> {
    fn attachment(&self) -> Attachment<'_> {
        // SAFETY: as for `Envelope::root`; what was encrypted with it cannot have been changed since.
        unsafe { flatbuffers::root_unchecked::<Attachment>(&self.attachment) }
    }

    /// Reads every field in place.
    pub fn touch(&self) {
        touch_meta(self.record.meta());
        touch_attachment(self.attachment());
    }

    pub fn matches(&self) -> bool {
        self.attachment().name().contains(FILTER_TEXT)
    }

    pub fn row(&self) -> Result<LogSecret, Failure> {
        Ok(LogSecret(LogRecord {
            meta: meta_row(self.record.meta())?,
            payload: attachment_row(self.attachment()),
        }))
    }
}
