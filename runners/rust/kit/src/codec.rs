//! What a codec implements: one library in one configuration.
//!
//! [`Codec`] names the two ends of the wire, and a trait a capability says what the library can do with them.
//! Everything else (the command line, the timed loops, the reports) is the kit's.

use std::borrow::Borrow;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A codec. Its fields are the scratch space that its library lets callers reuse; most have none.
pub trait Codec: Default + 'static {
    /// What the library writes a message into.
    type Buffer: Buffer;
    type EncodeError: Display;
    type DecodeError: Display;
}

/// What the library of the codec `C` reads a message from.
pub type InputOf<C> = <<C as Codec>::Buffer as Buffer>::Input;

/// Encodes messages of type `T`.
pub trait Encode<T>: Codec {
    /// Writes the encoded `value` to `buffer`, which is empty.
    fn encode(&mut self, value: &T, buffer: &mut Self::Buffer) -> Result<(), Self::EncodeError>;
}

/// Decodes messages into values of type `T`, which may borrow from the encoded bytes and from the
/// codec's scratch space.
pub trait Decode<'a, T>: Codec {
    fn decode(&'a mut self, input: &'a InputOf<Self>) -> Result<T, Self::DecodeError>;

    /// What must hold before [`Decode::decode`] may see bytes from outside.
    ///
    /// Only a codec that skips validation has something to do here. It is never measured.
    fn validate(&mut self, _input: &'a InputOf<Self>) -> Result<(), Self::DecodeError> {
        Ok(())
    }
}

/// Decodes messages into a value that exists already and keeps its allocations.
pub trait DecodeInto<T>: Codec {
    /// Replaces what `value` holds by the decoded message.
    fn decode_into(
        &mut self,
        input: &InputOf<Self>,
        value: &mut T,
    ) -> Result<(), Self::DecodeError>;
}

/// A buffer that a codec writes into.
pub trait Buffer: Default + 'static {
    /// The form in which the same library wants what it wrote.
    type Input: Input + ?Sized + 'static;

    /// Whether an empty buffer has all its memory already. To measure it fresh would be to measure
    /// its allocation, and so that is not offered.
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

/// Encoded bytes in the form in which a library wants them: `[u8]`, or a type of its own that, for
/// one, is aligned.
pub trait Input {
    /// Owns encoded bytes for as long as they are read.
    type Stored: Borrow<Self> + 'static;

    fn store(bytes: &[u8]) -> Self::Stored;

    /// Encoded bytes where they lie, if the library takes them so; else they must be stored in its own form.
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

/// Memory of a fixed size, for libraries that write to a slice.
pub struct Preallocated {
    memory: Vec<u8>,
    length: usize,
}

impl Preallocated {
    /// Room for the largest message of the lab, in bytes.
    const CAPACITY: usize = 1 << 20;

    /// All of the memory, to be written to from its start.
    pub fn memory(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    /// Says that the first `length` bytes were written.
    pub fn set_length(&mut self, length: usize) {
        self.length = length;
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

/// A message type. Its serde implementations are its canonical JSON.
pub trait Message: Serialize + DeserializeOwned + 'static {
    /// The scenarios whose values are of this type.
    const SCENARIOS: &'static [Scenario];
}

/// A message type that has a borrowed form.
pub trait Borrowable: Message {
    /// The same message without copies of its own. Its canonical JSON is the same, too.
    type Borrowed<'a>: Serialize;
}

/// A workload of the lab, by the name that it has in schemas/scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    pub name: &'static str,
    /// Many messages, in JSON Lines; otherwise one message, in JSON.
    pub rows: bool,
}

impl Scenario {
    /// A scenario of one message.
    pub const fn single(name: &'static str) -> Self {
        Self { name, rows: false }
    }

    /// A scenario of many messages, of which a repetition handles each one.
    pub const fn rows(name: &'static str) -> Self {
        Self { name, rows: true }
    }
}
