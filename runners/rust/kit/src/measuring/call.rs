//! A library's calls as the timed loops make them.
//!
//! Each is a function of its own and never inlined, so that every operation and every loop runs the same machine code.
//! When the compiler was free to inline call by call, a codec's times moved by up to 15 % in either direction.

use crate::model::codec::{Access, Codec, Decode, DecodeInto, Encode, InputOf, StoredOf, Update};
use crate::model::look::{Fields, Look, Looked};

#[inline(never)]
pub fn encode<C: Encode<T>, T>(
    codec: &mut C,
    value: &T,
    buffer: &mut C::Buffer,
) -> Result<(), C::EncodeError> {
    codec.encode(value, buffer)
}

#[inline(never)]
pub fn decode<'a, C: Decode<'a, T>, T>(
    codec: &'a mut C,
    input: &'a InputOf<C>,
) -> Result<T, <C as Codec>::DecodeError> {
    codec.decode(input)
}

#[inline(never)]
pub fn decode_into<C: DecodeInto<T>, T>(
    codec: &mut C,
    input: &InputOf<C>,
    value: &mut T,
) -> Result<(), <C as Codec>::DecodeError> {
    codec.decode_into(input, value)
}

#[inline(never)]
pub fn build<P, T: for<'p> From<&'p P>>(plain: &P) -> T {
    plain.into()
}

#[inline(never)]
pub fn convert<T, P: TryFrom<T>>(message: T) -> Result<P, P::Error> {
    message.try_into()
}

#[inline(never)]
pub fn access<C: Access<T>, T>(
    codec: &mut C,
    input: &InputOf<C>,
) -> Result<Looked, <C as Codec>::DecodeError> {
    let mut looked = Looked::default();
    codec.root(input)?.look(&mut looked);
    Ok(looked)
}

#[inline(never)]
pub fn access_named<C: Access<T>, T>(
    codec: &mut C,
    input: &InputOf<C>,
) -> Result<Looked, <C as Codec>::DecodeError> {
    let mut looked = Looked::default();
    codec.root(input)?.look_at_named(&mut looked);
    Ok(looked)
}

#[inline(never)]
pub fn root<'a, C: Access<T>, T>(
    codec: &mut C,
    input: &'a InputOf<C>,
) -> Result<C::Root<'a>, <C as Codec>::DecodeError> {
    codec.root(input)
}

#[inline(never)]
pub fn update<C: Update<T>, T>(
    codec: &mut C,
    message: &mut StoredOf<C>,
) -> Result<(), <C as Codec>::DecodeError> {
    codec.update(message)
}
