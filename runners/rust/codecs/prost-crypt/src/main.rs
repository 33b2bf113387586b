//! prost as published with encryption: the attachment is encrypted bytes in the message. Filtering decrypts every row.

use std::process::ExitCode;

use prost::Message;
use wirelab_crypt::Cipher;
use wirelab_kit::files::{Failure, Framed, Matches, RowMessage};
use wirelab_kit::{About, Runner};
use wirelab_messages::logs::LogSecret;
use wirelab_prost::logs::{Attachment, RecordBinary, RecordCrypt, row_of};

#[derive(Default)]
struct Prost(Cipher);

impl RowMessage<LogSecret> for Prost {
    type View<'a> = RecordBinary;

    fn encode(&mut self, row: &LogSecret, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        let attachment = Attachment::from(&row.payload).encode_to_vec();
        let record = RecordCrypt {
            meta: Some((&row.meta).into()),
            payload: self.0.encrypt(&attachment)?,
        };
        Ok(record.encode(buffer)?)
    }

    fn view(&mut self, bytes: &[u8]) -> Result<RecordBinary, Failure> {
        let RecordCrypt { meta, payload } = RecordCrypt::decode(bytes)?;
        let payload = Attachment::decode(self.0.decrypt(&payload)?.as_slice())?;
        Ok(RecordBinary {
            meta,
            payload: Some(payload),
        })
    }

    fn select(&mut self, bytes: &[u8]) -> Result<Option<RecordBinary>, Failure> {
        let record = self.view(bytes)?;
        Ok(record.matches().then_some(record))
    }

    fn owned(record: RecordBinary) -> Result<LogSecret, Failure> {
        row_of(record).map(LogSecret)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Prost>::new(About {
        codec: "rust/prost-crypt",
        format: "encrypted Protocol Buffers",
        library: Some("prost"),
        api: "generated",
        validation: true,
        self_describing: false,
    });
    runner.files::<Framed<Prost>, LogSecret>().run()
}
