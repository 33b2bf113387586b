//! The product of an operation, in the form in which `encode` and `decode` print it.

use serde::Serialize;

use crate::base::canonical;
use crate::base::frames;
use crate::model::message::Message;

/// The bytes that `encode` (encoded messages) or `decode` (canonical JSON) writes to standard output.
#[derive(Debug)]
pub struct Product {
    rows: bool,
    bytes: Vec<u8>,
}

impl Product {
    /// An empty product of a scenario with rows or with one message.
    pub fn new(rows: bool) -> Self {
        Self {
            rows,
            bytes: Vec::new(),
        }
    }

    /// Adds an encoded message, framed where there are rows.
    pub fn message(&mut self, message: &[u8]) -> Result<(), String> {
        if self.rows {
            frames::write(message, &mut self.bytes)
        } else {
            self.bytes.extend_from_slice(message);
            Ok(())
        }
    }

    /// Adds a decoded message as a line of canonical JSON.
    pub fn decoded<T: Message>(&mut self, message: &T) -> Result<(), String> {
        message.write_canonical(&mut self.bytes)
    }

    /// Adds any other value as a line of canonical JSON.
    pub fn value<T: Serialize>(&mut self, value: &T) -> Result<(), String> {
        canonical::write(value, &mut self.bytes)
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// CRC-32 with zlib's polynomial, in the form `crc32:89abcdef`.
    pub fn checksum(&self) -> String {
        format!("crc32:{:08x}", crc32fast::hash(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zlib() {
        let mut product = Product::new(false);
        product.message(b"123456789").unwrap();
        // The check value of CRC-32/ISO-HDLC in Ross Williams' catalogue of CRC algorithms.
        assert_eq!(product.checksum(), "crc32:cbf43926");
        assert_eq!(Product::new(true).checksum(), "crc32:00000000");
    }

    #[test]
    fn rows_are_framed_and_single_messages_are_not() {
        for (rows, expected) in [(false, &b"x"[..]), (true, b"\x01\0\0\0x")] {
            let mut product = Product::new(rows);
            product.message(b"x").unwrap();
            assert_eq!(product.into_bytes(), expected);
        }
    }
}
