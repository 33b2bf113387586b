//! The memory that a library writes messages into and reads them from.

use std::borrow::Borrow;

/// A buffer that a codec writes into.
pub trait Buffer: Default + 'static {
    /// The form in which the library reads what it wrote.
    type Input: Input + ?Sized + 'static;

    /// Whether an empty buffer owns all its memory already. buffer=fresh is not offered then: it would measure the
    /// allocation of that memory.
    const PREALLOCATED: bool = false;

    /// Empties the buffer and keeps its memory.
    fn clear(&mut self);

    fn as_input(&self) -> &Self::Input;
}

impl Buffer for Vec<u8> {
    type Input = [u8];

    fn clear(&mut self) {
        self.clear();
    }

    fn as_input(&self) -> &[u8] {
        self
    }
}

/// For text formats whose libraries write to texts.
impl Buffer for String {
    type Input = [u8];

    fn clear(&mut self) {
        self.clear();
    }

    fn as_input(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Encoded bytes in the form in which a library reads them: `[u8]`, or a type of its own, for example an aligned one.
pub trait Input {
    /// Owns encoded bytes while they are read.
    type Stored: Borrow<Self> + 'static;

    fn store(bytes: &[u8]) -> Self::Stored;

    /// The bytes themselves, if the library reads them in place; None if it needs them stored in its own form.
    fn in_place(_bytes: &[u8]) -> Option<&Self> {
        None
    }

    fn as_bytes(&self) -> &[u8];
}

impl Input for [u8] {
    type Stored = Vec<u8>;

    fn store(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }

    fn in_place(bytes: &[u8]) -> Option<&Self> {
        Some(bytes)
    }

    fn as_bytes(&self) -> &[u8] {
        self
    }
}

/// Memory for libraries that write to a slice. It holds the first messages' bytes, or else grows before the clock starts.
pub struct Preallocated {
    memory: Vec<u8>,
    length: usize,
}

impl Preallocated {
    /// Enough for most messages, in bytes.
    const CAPACITY: usize = 1 << 20;
    /// No message of the lab is larger.
    const LARGEST: usize = 1 << 30;

    /// Has `write` write a message from the start of the memory and return its length. Doubles the memory as long as
    /// `is_full` says of an error that the message did not fit.
    pub fn fill<E>(
        &mut self,
        mut write: impl FnMut(&mut [u8]) -> Result<usize, E>,
        is_full: impl Fn(&E) -> bool,
    ) -> Result<(), E> {
        loop {
            match write(&mut self.memory) {
                Ok(length) => {
                    self.length = length;
                    return Ok(());
                }
                Err(error) if is_full(&error) && self.grow() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// As [`fill`](Self::fill), for libraries that move the start of the slice that they write into.
    pub fn advance<E>(
        &mut self,
        mut write: impl FnMut(&mut &mut [u8]) -> Result<(), E>,
        is_full: impl Fn(&E) -> bool,
    ) -> Result<(), E> {
        let write = |memory: &mut [u8]| {
            let all = memory.len();
            let mut rest = memory;
            write(&mut rest)?;
            Ok(all - rest.len())
        };
        self.fill(write, is_full)
    }

    /// Doubles the memory for a message that it does not hold. False for one that is beyond all bounds.
    #[cold]
    fn grow(&mut self) -> bool {
        let length = 2 * self.memory.len();
        if length <= Self::LARGEST {
            self.memory = vec![0; length];
        }
        length <= Self::LARGEST
    }
}

impl Default for Preallocated {
    fn default() -> Self {
        Self {
            memory: vec![0; Self::CAPACITY],
            length: 0,
        }
    }
}

impl Buffer for Preallocated {
    type Input = [u8];
    const PREALLOCATED: bool = true;

    fn clear(&mut self) {
        self.length = 0;
    }

    fn as_input(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}
