//! Compression of encoded messages: the same over every codec's bytes, of one message at a time.
//!
//! Both libraries are the reference implementations in C, as in the kits of the other languages: a compressed cell
//! compares codecs, not ports of LZ4. Each kit reads the compressed messages of the others:
//!
//! - `lz4`: its length as a little-endian u32, then one LZ4 block, compressed by default (acceleration 1);
//! - `zstd-N`: one Zstandard frame (RFC 8878) of level N, with its content's size and without a checksum.

use std::io;

use lz4::block::{compress_bound, compress_to_buffer, decompress_to_buffer};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

/// Bytes of the length before an LZ4 block.
const PREFIX: usize = 4;

/// A compression format. It holds the contexts that its library lets callers reuse.
pub trait Compression: Default + 'static {
    /// The value of the condition `compression`.
    const NAME: &'static str;

    fn compress(&mut self, bytes: &[u8], compressed: &mut Scratch) -> io::Result<()>;

    /// Allocates the size that the input claims before reading it.
    ///
    /// # Errors
    /// Input that [`Compression::compress`] did not write.
    fn decompress(&mut self, compressed: &[u8], bytes: &mut Scratch) -> io::Result<()>;
}

/// Compresses or decompresses one message: see [`named`].
pub type Transform = fn(&[u8]) -> io::Result<Vec<u8>>;

/// The compression and decompression for a value of the condition; None for an unknown value.
pub fn named(name: &str) -> Option<(Transform, Transform)> {
    match name {
        Lz4::NAME => Some((compressed::<Lz4>, decompressed::<Lz4>)),
        Zstd1::NAME => Some((compressed::<Zstd1>, decompressed::<Zstd1>)),
        Zstd3::NAME => Some((compressed::<Zstd3>, decompressed::<Zstd3>)),
        _ => None,
    }
}

fn compressed<K: Compression>(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut memory = Scratch::default();
    K::default().compress(bytes, &mut memory)?;
    Ok(memory.as_bytes().to_vec())
}

fn decompressed<K: Compression>(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut memory = Scratch::default();
    K::default().decompress(bytes, &mut memory)?;
    Ok(memory.as_bytes().to_vec())
}

/// Memory that grows and never shrinks, for libraries that write to a slice.
#[derive(Default)]
pub struct Scratch {
    memory: Vec<u8>,
    length: usize,
}

impl Scratch {
    /// At least `size` bytes to be written to.
    fn at_least(&mut self, size: usize) -> &mut [u8] {
        if self.memory.len() < size {
            self.memory.resize(size, 0);
        }
        &mut self.memory
    }

    /// The bytes that were written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}

/// compression=lz4.
#[derive(Default)]
pub struct Lz4;

impl Compression for Lz4 {
    const NAME: &'static str = "lz4";

    fn compress(&mut self, bytes: &[u8], compressed: &mut Scratch) -> io::Result<()> {
        let memory = compressed.at_least(PREFIX + compress_bound(bytes.len())?);
        compressed.length = compress_to_buffer(bytes, None, true, memory)?;
        Ok(())
    }

    fn decompress(&mut self, compressed: &[u8], bytes: &mut Scratch) -> io::Result<()> {
        let (prefix, block) = compressed
            .split_first_chunk::<PREFIX>()
            .ok_or_else(|| invalid("an LZ4 message begins with its length in 4 bytes"))?;
        let claimed = u32::from_le_bytes(*prefix);
        let size =
            i32::try_from(claimed).map_err(|_| invalid("an LZ4 block holds less than 2 GiB"))?;
        let memory = bytes.at_least(claimed as usize);
        bytes.length = decompress_to_buffer(block, Some(size), memory)?;
        complete(bytes, claimed.into())
    }
}

/// compression=zstd-LEVEL.
pub struct Zstd<const LEVEL: i32> {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
}

pub type Zstd1 = Zstd<1>;
pub type Zstd3 = Zstd<3>;

impl<const LEVEL: i32> Default for Zstd<LEVEL> {
    fn default() -> Self {
        Self {
            compressor: Compressor::new(LEVEL).expect("Zstandard has levels from 1 to 22"),
            decompressor: Decompressor::default(),
        }
    }
}

impl<const LEVEL: i32> Compression for Zstd<LEVEL> {
    const NAME: &'static str = match LEVEL {
        1 => "zstd-1",
        3 => "zstd-3",
        _ => panic!("the condition `compression` has no such level"),
    };

    fn compress(&mut self, bytes: &[u8], compressed: &mut Scratch) -> io::Result<()> {
        let memory = compressed.at_least(zstd_safe::compress_bound(bytes.len()));
        compressed.length = self.compressor.compress_to_buffer(bytes, memory)?;
        Ok(())
    }

    fn decompress(&mut self, compressed: &[u8], bytes: &mut Scratch) -> io::Result<()> {
        let claimed = zstd_safe::get_frame_content_size(compressed)
            .map_err(|error| invalid(&error.to_string()))?
            .ok_or_else(|| invalid("the Zstandard frame does not state its content size"))?;
        let size = usize::try_from(claimed).map_err(|error| invalid(&error.to_string()))?;
        let memory = &mut bytes.at_least(size)[..size];
        bytes.length = self.decompressor.decompress_to_buffer(compressed, memory)?;
        complete(bytes, claimed)
    }
}

fn complete(bytes: &Scratch, claimed: u64) -> io::Result<()> {
    if bytes.length as u64 == claimed {
        return Ok(());
    }
    let message = format!(
        "the message claims {claimed} bytes and holds {}",
        bytes.length
    );
    Err(invalid(&message))
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_a_round_trip_through_reused_memory() {
        fn check<K: Compression>() {
            let (mut compression, mut packed, mut plain) =
                (K::default(), Scratch::default(), Scratch::default());
            for text in [&b"abcabcabcabcabcabcabcabcabc"[..], b"x", b"", &[7; 5000]] {
                compression.compress(text, &mut packed).unwrap();
                compression
                    .decompress(packed.as_bytes(), &mut plain)
                    .unwrap();
                assert_eq!(plain.as_bytes(), text, "{}", K::NAME);
            }
        }
        check::<Lz4>();
        check::<Zstd1>();
        check::<Zstd3>();
    }

    #[test]
    fn an_lz4_message_is_its_length_and_a_block_of_the_specification() {
        // Five literals: token 0x50, then they; the end of a block has no match.
        let (compress, decompress) = named("lz4").unwrap();
        assert_eq!(compress(b"hello").unwrap(), b"\x05\0\0\0\x50hello");
        // A literal and a match of 8 bytes at offset 1, then the 5 last literals.
        let block = b"\x0E\0\0\0\x14a\x01\0\x50aaaaa";
        assert_eq!(decompress(block).unwrap(), [b'a'; 14]);
    }

    #[test]
    fn a_zstandard_message_is_a_frame_of_the_specification() {
        // Magic number, a single segment with its size in a byte, a raw block of 5 bytes that is the last.
        let frame = b"\x28\xB5\x2F\xFD\x20\x05\x29\0\0hello";
        let (compress, decompress) = named("zstd-1").unwrap();
        assert_eq!(compress(b"hello").unwrap(), frame);
        assert_eq!(decompress(frame).unwrap(), b"hello");
    }

    #[test]
    fn malformed_input_is_an_error() {
        for (name, malformed) in [
            ("lz4", &b""[..]),
            ("lz4", b"\x05\0\0"),
            ("lz4", b"\x05\0\0\0\x40hell"),
            ("lz4", b"\x05\0\0\0\x60hello!"),
            ("lz4", b"\xFF\xFF\xFF\xFF\x50hello"),
            ("zstd-1", b""),
            ("zstd-1", b"hello"),
            ("zstd-1", b"\x28\xB5\x2F\xFD\x20\x05\x29\0\0hell"),
            ("zstd-1", b"\x28\xB5\x2F\xFD\x20\x06\x29\0\0hello"),
            ("zstd-1", b"\x28\xB5\x2F\xFD\x20\x04\x29\0\0hello"),
        ] {
            let (_, decompress) = named(name).unwrap();
            assert!(decompress(malformed).is_err(), "{name} {malformed:?}");
        }
    }
}
