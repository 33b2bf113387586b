//! What a file is under each condition `io`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

/// The one buffer of io=buffered, in bytes.
pub const BUFFER: usize = 64 << 10;

/// What rows are written to.
pub trait Target: Read + Write + Seek {
    /// Whether buffers, copies and calls are to be those of the publication.
    const PUBLISHED: bool;
}

/// What rows are read from.
pub trait Source: Read + Seek {
    /// As [`Target::PUBLISHED`].
    const PUBLISHED: bool;

    /// Whether the bytes come from outside, so that they are to be validated before a codec may trust them.
    const OUTSIDE: bool = false;

    /// The source as one that finds lines.
    fn lines(self) -> impl BufRead;
}

impl Target for File {
    const PUBLISHED: bool = true;
}

impl Source for File {
    const PUBLISHED: bool = true;

    /// With the 8 KiB of the standard library, as published.
    fn lines(self) -> impl BufRead {
        BufReader::new(self)
    }
}

impl Target for Cursor<Vec<u8>> {
    const PUBLISHED: bool = false;
}

impl Source for Cursor<&[u8]> {
    const PUBLISHED: bool = false;

    fn lines(self) -> impl BufRead {
        self
    }
}

/// Bytes from outside.
pub struct Outside<'a>(pub Cursor<&'a [u8]>);

impl Read for Outside<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Seek for Outside<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.0.seek(place)
    }
}

impl Source for Outside<'_> {
    const PUBLISHED: bool = false;
    const OUTSIDE: bool = true;

    fn lines(self) -> impl BufRead {
        self.0
    }
}

impl Source for BufReader<File> {
    const PUBLISHED: bool = false;

    fn lines(self) -> impl BufRead {
        self
    }
}

/// A file behind a buffer for what is written to it.
pub struct BufferedTarget(BufWriter<File>);

impl BufferedTarget {
    pub fn new(file: File) -> Self {
        Self(BufWriter::with_capacity(BUFFER, file))
    }
}

impl Target for BufferedTarget {
    const PUBLISHED: bool = false;
}

impl Write for BufferedTarget {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for BufferedTarget {
    /// Writes what is buffered first.
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.0.seek(place)
    }
}

impl Read for BufferedTarget {
    /// Writes what is buffered first, so that it can be read.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.flush()?;
        self.0.get_mut().read(bytes)
    }
}
