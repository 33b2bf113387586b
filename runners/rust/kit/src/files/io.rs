//! The conditions `io` and `cache` of files: what rows are written to and read from under each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;

use crate::base::cache;

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

    /// Whether the bytes come from outside the runner and must be validated before a codec may trust them.
    const OUTSIDE: bool = false;

    /// The source as a reader of lines.
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

/// Bytes from outside the runner.
pub struct Outside<'a>(pub Cursor<&'a [u8]>);

impl Read for Outside<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Seek for Outside<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
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

/// A file whose writes are buffered.
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
    /// Flushes the buffer first.
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

impl Read for BufferedTarget {
    /// Flushes the buffer first, so that what was written can be read.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.flush()?;
        self.0.get_mut().read(bytes)
    }
}

/// The condition `io` of files.
pub trait Files: 'static {
    type Target: Target;
    type Source: Source;

    fn target(file: File) -> Self::Target;

    /// Opens the file for reading under the condition. This happens outside the clock.
    fn source(file: File) -> io::Result<Self::Source>;
}

/// io=as-published: each read and write of the codec is a system call.
pub struct Published;

/// io=buffered: all reads, or all writes, go through one buffer of 64 KiB.
pub struct Buffered;

/// cache=cold: the file's pages are evicted from the system's cache before the file is read.
pub struct Cold<F>(PhantomData<F>);

impl Files for Published {
    type Target = File;
    type Source = File;

    fn target(file: File) -> File {
        file
    }

    fn source(file: File) -> io::Result<File> {
        Ok(file)
    }
}

impl Files for Buffered {
    type Target = BufferedTarget;
    type Source = BufReader<File>;

    fn target(file: File) -> BufferedTarget {
        BufferedTarget::new(file)
    }

    fn source(file: File) -> io::Result<BufReader<File>> {
        Ok(BufReader::with_capacity(BUFFER, file))
    }
}

impl<F: Files> Files for Cold<F> {
    type Target = F::Target;
    type Source = F::Source;

    fn target(file: File) -> F::Target {
        F::target(file)
    }

    fn source(file: File) -> io::Result<F::Source> {
        cache::evict(&file)?;
        F::source(file)
    }
}
