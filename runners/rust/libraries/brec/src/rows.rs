//! What rows are to packets: their conversion, keys and filter.

use brec::prelude::*;
use wirelab_crypt::{decrypt_options, encrypt_options};
use wirelab_kit::files::Failure;

use crate::{Packet, ProtocolContext, Rule};

/// A row that is stored in packets.
pub trait Row: Sized + 'static {
    /// Whether its payload is encrypted.
    const SECRET: bool = false;

    fn packet(&self) -> Packet;
    fn row(packet: Packet) -> Result<Self, Failure>;

    /// The filter of the row's scenarios: what blocks must have is asked before a packet is read whole.
    fn rules<'r>() -> Vec<Rule<'r>>;
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

/// A rule on a block, before the packet is read whole.
macro_rules! before {
    ($block:ident, $referred:ident, |$value:ident| $condition:expr) => {
        Rule::Prefilter(RuleFnDef::Dynamic(Box::new(|blocks| {
            let selects = |$value: &$referred| $condition;
            blocks.find::<$block, _>(selects).is_some()
        })))
    };
}

/// A rule on the payload of a packet.
macro_rules! whole {
    ($payload:ident, |$value:ident| $condition:expr) => {
        Rule::FilterPacket(RuleFnDef::Dynamic(Box::new(|packet: &Packet| {
            matches!(&packet.payload, Some(Payload::$payload($value)) if $condition)
        })))
    };
}

pub(crate) use {before, whole};
