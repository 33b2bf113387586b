//! What a codec implements: one library in one configuration.
//!
//! [`Codec`] names the buffer and the errors of the library; each further trait is one of its capabilities. The command
//! line, the timed loops and the reports are the kit's.

use std::fmt::Display;

use super::buffer::{Buffer, Input};
use super::look::Fields;

/// A codec. Its fields are the scratch space that its library lets callers reuse; most codecs have none.
pub trait Codec: Default + 'static {
    /// What the library writes a message into.
    type Buffer: Buffer;
    type EncodeError: Display;
    type DecodeError: Display;
}

/// What the library of the codec `C` reads a message from.
pub type InputOf<C> = <<C as Codec>::Buffer as Buffer>::Input;

/// What owns such a message while the library reads it, or changes it in place.
pub type StoredOf<C> = <InputOf<C> as Input>::Stored;

/// Encodes messages of type `T`.
pub trait Encode<T>: Codec {
    /// Writes the encoded `value` to `buffer`, which is empty.
    fn encode(&mut self, value: &T, buffer: &mut Self::Buffer) -> Result<(), Self::EncodeError>;
}

/// Decodes messages into values of type `T`, which may borrow from the encoded bytes and from the codec's scratch space.
pub trait Decode<'a, T>: Codec {
    fn decode(&'a mut self, input: &'a InputOf<Self>) -> Result<T, Self::DecodeError>;

    /// Checks bytes from outside before [`Decode::decode`] may read them.
    ///
    /// Only a codec that skips validation implements it; it is never measured.
    fn validate(&mut self, _input: &'a InputOf<Self>) -> Result<(), Self::DecodeError> {
        Ok(())
    }
}

/// Decodes messages into an existing value, whose allocations are kept.
pub trait DecodeInto<T>: Codec {
    /// Replaces what `value` holds by the decoded message.
    fn decode_into(
        &mut self,
        input: &InputOf<Self>,
        value: &mut T,
    ) -> Result<(), Self::DecodeError>;
}

/// Reads the fields of encoded messages of type `T` where they are, without making a value.
pub trait Access<T>: Codec {
    /// The message where it is: its fields are read through it.
    type Root<'a>: Fields;

    /// Finds the message in its bytes. A codec that validates does so here.
    fn root<'a>(&mut self, input: &'a InputOf<Self>) -> Result<Self::Root<'a>, Self::DecodeError>;
}

/// Changes fields of encoded messages of type `T` where they are: no message is decoded, and none encoded anew.
pub trait Update<T>: Codec {
    /// Changes what the scenario updates. A codec that validates does so first.
    fn update(&mut self, message: &mut StoredOf<Self>) -> Result<(), Self::DecodeError>;
}
