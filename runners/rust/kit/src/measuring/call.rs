//! A library's calls as the timed loops make them.
//!
//! Each is a function of its own, so that it is compiled once and alike for every operation and every loop around it.
//! Where the compiler decides call by call, it moved a codec's times by 15 % to either side.

use crate::model::codec::{Codec, Decode, DecodeInto, Encode, InputOf};

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
