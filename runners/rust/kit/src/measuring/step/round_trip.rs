//! The steps of `round-trip`.

use std::borrow::Borrow;
use std::hint::black_box;
use std::marker::PhantomData;

use super::{Step, start_empty};
use crate::base::failure::RoundTripError;
use crate::measuring::call;
use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Codec, Decode, DecodeInto, Encode, InputOf};
use crate::model::compression::{Compression, Scratch};
use crate::model::message::{Borrowable, Message};
use crate::model::product::Product;

/// round-trip, buffer=reused, output=owned.
pub struct RoundTripOwned<C: Codec, T> {
    codec: C,
    buffer: C::Buffer,
    message: PhantomData<T>,
}

impl<C, T: Message> Step for RoundTripOwned<C, T>
where
    C: Encode<T> + for<'a> Decode<'a, T>,
{
    type Input = T;
    type Output<'a> = T;
    type Error = RoundTripError<C::EncodeError, C::DecodeError>;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<T, Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        call::decode(&mut self.codec, black_box(&self.buffer).as_input())
            .map_err(RoundTripError::Decode)
    }

    /// As by default, but without the copy of the output that converting the error's type costs.
    #[inline]
    fn run<'a>(&'a mut self, value: &'a T) -> Result<(), Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        let output: Result<T, _> =
            call::decode(&mut self.codec, black_box(&self.buffer).as_input());
        black_box(&output);
        match output {
            Ok(_) => Ok(()),
            Err(error) => Err(RoundTripError::Decode(error)),
        }
    }

    fn record(value: &T, product: &mut Product) -> Result<(), String> {
        product.decoded(value)
    }
}

/// round-trip, buffer=reused, output=owned, compression=K: encode, compress, decompress, decode.
///
/// Buffers are reused. If the library does not read plain bytes, each repetition stores the decompressed message anew in
/// the library's form.
pub struct RoundTripCompressed<C: Codec, T, K> {
    codec: C,
    compression: K,
    buffer: C::Buffer,
    compressed: Scratch,
    decompressed: Scratch,
    stored: Option<<InputOf<C> as Input>::Stored>,
    message: PhantomData<T>,
}

impl<C: Codec, T, K: Compression> Default for RoundTripCompressed<C, T, K> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            compression: K::default(),
            buffer: C::Buffer::default(),
            compressed: Scratch::default(),
            decompressed: Scratch::default(),
            stored: None,
            message: PhantomData,
        }
    }
}

impl<C, T: Message, K: Compression> Step for RoundTripCompressed<C, T, K>
where
    C: Encode<T> + for<'a> Decode<'a, T>,
{
    type Input = T;
    type Output<'a> = T;
    type Error = RoundTripError<C::EncodeError, C::DecodeError>;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<T, Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        let bytes = black_box(&self.buffer).as_input().as_bytes();
        self.compression
            .compress(bytes, &mut self.compressed)
            .map_err(RoundTripError::Compression)?;
        self.compression
            .decompress(
                black_box(&self.compressed).as_bytes(),
                &mut self.decompressed,
            )
            .map_err(RoundTripError::Compression)?;
        let bytes = black_box(&self.decompressed).as_bytes();
        let input = match InputOf::<C>::in_place(bytes) {
            Some(input) => input,
            None => (*self.stored.insert(InputOf::<C>::store(bytes))).borrow(),
        };
        call::decode(&mut self.codec, input).map_err(RoundTripError::Decode)
    }

    fn record(value: &T, product: &mut Product) -> Result<(), String> {
        product.decoded(value)
    }
}

/// round-trip, buffer=reused, output=borrowed.
pub struct RoundTripBorrowed<C: Codec, T> {
    codec: C,
    buffer: C::Buffer,
    message: PhantomData<T>,
}

impl<C, T: Borrowable> Step for RoundTripBorrowed<C, T>
where
    C: Encode<T> + for<'a> Decode<'a, T::Borrowed<'a>>,
{
    type Input = T;
    type Output<'a> = T::Borrowed<'a>;
    type Error = RoundTripError<C::EncodeError, C::DecodeError>;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<T::Borrowed<'a>, Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        call::decode(&mut self.codec, black_box(&self.buffer).as_input())
            .map_err(RoundTripError::Decode)
    }

    /// As by default, but without the copy of the output that converting the error's type costs.
    #[inline]
    fn run<'a>(&'a mut self, value: &'a T) -> Result<(), Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        let output: Result<T::Borrowed<'a>, _> =
            call::decode(&mut self.codec, black_box(&self.buffer).as_input());
        black_box(&output);
        match output {
            Ok(_) => Ok(()),
            Err(error) => Err(RoundTripError::Decode(error)),
        }
    }

    fn record(value: &T::Borrowed<'_>, product: &mut Product) -> Result<(), String> {
        product.value(value)
    }
}

/// round-trip, buffer=reused, output=existing.
pub struct RoundTripExisting<C: Codec, T> {
    codec: C,
    buffer: C::Buffer,
    value: T,
}

impl<C, T> Step for RoundTripExisting<C, T>
where
    C: Encode<T> + DecodeInto<T>,
    T: Message + Default,
{
    type Input = T;
    type Output<'a> = &'a T;
    type Error = RoundTripError<C::EncodeError, C::DecodeError>;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<&'a T, Self::Error> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer).map_err(RoundTripError::Encode)?;
        call::decode_into(
            &mut self.codec,
            black_box(&self.buffer).as_input(),
            &mut self.value,
        )
        .map_err(RoundTripError::Decode)?;
        Ok(&self.value)
    }

    fn record(value: &&T, product: &mut Product) -> Result<(), String> {
        product.decoded(*value)
    }
}

start_empty! {
    RoundTripOwned { buffer }
    RoundTripBorrowed { buffer }
}

impl<C: Codec, T: Default> Default for RoundTripExisting<C, T> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            buffer: C::Buffer::default(),
            value: T::default(),
        }
    }
}
