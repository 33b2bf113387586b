//! The conversion between rows and packets, and their filter.

use wirelab_crypt::{decrypt_options, encrypt_options};
use wirelab_kit::files::Failure;
use wirelab_messages::logs::{
    self, FILTER_TEXT, Level, LogBlock, LogMeta, LogRecord, LogSecret, LogText,
};

use brec::prelude::*;

use crate::{
    Attachment, Block, Borrowed, Metadata, MetadataReferred, Packet, Payload, ProtocolContext,
    Rule, Secret,
};

/// A row that is stored in packets.
pub trait Row: Sized + 'static {
    /// Whether its payload is encrypted.
    const SECRET: bool = false;

    fn packet(&self) -> Packet;
    fn row(packet: Packet) -> Result<Self, Failure>;
}

/// The keys of a codec that writes or reads rows; none if the rows are not encrypted.
#[derive(Default)]
pub struct Keys {
    encrypt: Option<EncryptOptions>,
    decrypt: Option<DecryptOptions>,
}

impl Keys {
    pub fn for_writing<R: Row>(&mut self) -> Result<ProtocolContext<'_>, Failure> {
        if !R::SECRET {
            return Ok(ProtocolContext::None);
        }
        Ok(ProtocolContext::Encrypt(
            self.encrypt.insert(encrypt_options()?),
        ))
    }

    pub fn for_reading<R: Row>(&mut self) -> Result<ProtocolContext<'_>, Failure> {
        if !R::SECRET {
            return Ok(ProtocolContext::None);
        }
        Ok(ProtocolContext::Decrypt(
            self.decrypt.insert(decrypt_options()?),
        ))
    }
}

/// The scenario's filter as rules: the level is in a packet's block, so that only packets of level Err are read whole.
pub fn filter_rules<'r>() -> [Rule<'r>; 2] {
    [
        Rule::Prefilter(RuleFnDef::Dynamic(Box::new(|blocks| {
            let is_err = |meta: &MetadataReferred| meta.level == Level::Err;
            blocks.find::<Metadata, _>(is_err).is_some()
        }))),
        Rule::FilterPacket(RuleFnDef::Dynamic(Box::new(has_filter_text))),
    ]
}

fn has_filter_text(packet: &Packet) -> bool {
    match &packet.payload {
        Some(Payload::String(text)) => text.contains(FILTER_TEXT),
        Some(Payload::Attachment(attachment)) => attachment.name.contains(FILTER_TEXT),
        Some(Payload::Secret(secret)) => secret.name.contains(FILTER_TEXT),
        _ => false,
    }
}

impl From<&LogMeta> for Metadata {
    fn from(meta: &LogMeta) -> Self {
        let LogMeta { level, target, tm } = *meta;
        Self { level, target, tm }
    }
}

fn meta(packet: &Packet) -> Result<LogMeta, Failure> {
    match packet.blocks.as_slice() {
        &[Block::Metadata(Metadata { level, target, tm })] => Ok(LogMeta { level, target, tm }),
        _ => Err("a packet without its one block of metadata".into()),
    }
}

impl Row for LogText {
    fn packet(&self) -> Packet {
        let meta = Block::Metadata((&self.meta).into());
        Packet::new(vec![meta], Some(Payload::String(self.payload.clone())))
    }

    fn row(packet: Packet) -> Result<Self, Failure> {
        let meta = meta(&packet)?;
        match packet.payload {
            Some(Payload::String(payload)) => Ok(Self { meta, payload }),
            _ => Err("a packet without its text".into()),
        }
    }
}

/// The two payloads of the same fields, of which only one is encrypted.
macro_rules! attachments {
    ($($payload:ident)*) => {$(
        impl From<&logs::Attachment> for $payload {
            fn from(attachment: &logs::Attachment) -> Self {
                let logs::Attachment { uuid, name, chunk, data, fields } = attachment.clone();
                Self { uuid, name, chunk, data, fields }
            }
        }

        impl From<$payload> for logs::Attachment {
            fn from(payload: $payload) -> Self {
                let $payload { uuid, name, chunk, data, fields } = payload;
                Self { uuid, name, chunk, data, fields }
            }
        }
    )*};
}

attachments! { Attachment Secret }

impl Row for LogRecord {
    fn packet(&self) -> Packet {
        let meta = Block::Metadata((&self.meta).into());
        Packet::new(
            vec![meta],
            Some(Payload::Attachment((&self.payload).into())),
        )
    }

    fn row(packet: Packet) -> Result<Self, Failure> {
        let meta = meta(&packet)?;
        match packet.payload {
            Some(Payload::Attachment(payload)) => Ok(Self {
                meta,
                payload: payload.into(),
            }),
            _ => Err("a packet without its attachment".into()),
        }
    }
}

impl Row for LogSecret {
    const SECRET: bool = true;

    fn packet(&self) -> Packet {
        let meta = Block::Metadata((&self.meta).into());
        Packet::new(vec![meta], Some(Payload::Secret((&self.payload).into())))
    }

    fn row(packet: Packet) -> Result<Self, Failure> {
        let meta = meta(&packet)?;
        match packet.payload {
            Some(Payload::Secret(payload)) => Ok(Self(LogRecord {
                meta,
                payload: payload.into(),
            })),
            _ => Err("a packet without its encrypted attachment".into()),
        }
    }
}

/// The conversion between a row of numbers and its block, field by field in both directions.
macro_rules! block {
    ($($field:ident)*) => {
        impl Row for LogBlock {
            fn packet(&self) -> Packet {
                let LogBlock { $($field),* } = self.clone();
                Packet::new(vec![Block::Borrowed(Borrowed { $($field),* })], None)
            }

            fn row(packet: Packet) -> Result<Self, Failure> {
                match packet.blocks.into_iter().next() {
                    Some(Block::Borrowed(Borrowed { $($field),* })) => Ok(Self { $($field),* }),
                    _ => Err("a packet without its block of numbers".into()),
                }
            }
        }
    };
}

block! {
    field_u8 field_u16 field_u32 field_u64 field_u128 field_i8 field_i16 field_i32 field_i64 field_i128
    field_f32 field_f64 field_bool blob_a blob_b
}
