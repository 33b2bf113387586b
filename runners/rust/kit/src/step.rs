//! What one repetition does with one message: each operation under each of its conditions, written once.
//!
//! A step is all that lies inside the timed loop besides the loop. The same code makes the product whose checksum
//! is reported.

use std::borrow::Borrow;
use std::fmt::Display;
use std::hint::black_box;
use std::marker::PhantomData;

use serde::Serialize;

use crate::call;
use crate::codec::{Borrowable, Buffer, Codec, Decode, DecodeInto, Encode, Input, InputOf};
use crate::compression::{Compression, Room};
use crate::failure::RoundTripError;
use crate::product::Product;

/// Makes one output of one input. Its fields are the buffers that are reused; by default they are empty.
pub trait Step: Default + 'static {
    type Input: ?Sized;
    /// What is dropped inside the clock, or kept to be dropped outside.
    type Output<'a>;
    type Error: Display;

    fn step<'a>(&'a mut self, input: &'a Self::Input) -> Result<Self::Output<'a>, Self::Error>;

    /// What the timed loop repeats: makes an output, shows it to nobody so that the optimizer must have it made, and
    /// drops it where it is, since to take it out of the result would copy it.
    #[inline]
    fn run<'a>(&'a mut self, input: &'a Self::Input) -> Result<(), Self::Error> {
        let output = self.step(input);
        black_box(&output);
        match output {
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds `output` to what `encode` or `decode` would print.
    fn record(output: &Self::Output<'_>, product: &mut Product) -> Result<(), String>;
}

/// serialize, buffer=reused.
pub struct SerializeReused<C: Codec, T> {
    codec: C,
    buffer: C::Buffer,
    message: PhantomData<T>,
}

impl<C: Encode<T>, T: 'static> Step for SerializeReused<C, T> {
    type Input = T;
    type Output<'a> = &'a C::Buffer;
    type Error = C::EncodeError;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<&'a C::Buffer, C::EncodeError> {
        self.buffer.clear();
        call::encode(&mut self.codec, value, &mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn run<'a>(&'a mut self, value: &'a T) -> Result<(), C::EncodeError> {
        black_box(self.step(value)?);
        Ok(())
    }

    fn record(buffer: &&C::Buffer, product: &mut Product) -> Result<(), String> {
        product.message(buffer.as_input().as_bytes())
    }
}

/// serialize, buffer=fresh: a new buffer each repetition, dropped inside the clock.
pub struct SerializeFresh<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: Encode<T>, T: 'static> Step for SerializeFresh<C, T> {
    type Input = T;
    type Output<'a> = C::Buffer;
    type Error = C::EncodeError;

    #[inline]
    fn step<'a>(&'a mut self, value: &'a T) -> Result<C::Buffer, C::EncodeError> {
        let mut buffer = C::Buffer::default();
        call::encode(&mut self.codec, value, &mut buffer)?;
        Ok(buffer)
    }

    fn record(buffer: &C::Buffer, product: &mut Product) -> Result<(), String> {
        product.message(buffer.as_input().as_bytes())
    }
}

/// deserialize, output=owned.
pub struct DeserializeOwned<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: for<'a> Decode<'a, T>, T: Serialize + 'static> Step for DeserializeOwned<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = T;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<T, C::DecodeError> {
        call::decode(&mut self.codec, input)
    }

    fn record(value: &T, product: &mut Product) -> Result<(), String> {
        product.value(value)
    }
}

/// deserialize, output=borrowed.
pub struct DeserializeBorrowed<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C, T: Borrowable> Step for DeserializeBorrowed<C, T>
where
    C: for<'a> Decode<'a, T::Borrowed<'a>>,
{
    type Input = InputOf<C>;
    type Output<'a> = T::Borrowed<'a>;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<T::Borrowed<'a>, C::DecodeError> {
        call::decode(&mut self.codec, input)
    }

    fn record(value: &T::Borrowed<'_>, product: &mut Product) -> Result<(), String> {
        product.value(value)
    }
}

/// deserialize, output=existing: into the value of the repetition before.
pub struct DeserializeExisting<C: Codec, T> {
    codec: C,
    value: T,
}

impl<C: DecodeInto<T>, T: Serialize + Default + 'static> Step for DeserializeExisting<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = &'a T;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<&'a T, C::DecodeError> {
        call::decode_into(&mut self.codec, input, &mut self.value)?;
        Ok(&self.value)
    }

    fn record(value: &&T, product: &mut Product) -> Result<(), String> {
        product.value(*value)
    }
}

/// round-trip, buffer=reused, output=owned.
pub struct RoundTripOwned<C: Codec, T> {
    codec: C,
    buffer: C::Buffer,
    message: PhantomData<T>,
}

impl<C, T: Serialize + 'static> Step for RoundTripOwned<C, T>
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

    /// Without the copy that a change of the error's type costs.
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
        product.value(value)
    }
}

/// round-trip, buffer=reused, output=owned, compression=K: encode, compress, decompress, decode.
///
/// Buffers are reused. Where the library takes no plain bytes, what was decompressed is stored in its own form anew in
/// each repetition.
pub struct RoundTripCompressed<C: Codec, T, K> {
    codec: C,
    compression: K,
    buffer: C::Buffer,
    compressed: Room,
    decompressed: Room,
    stored: Option<<InputOf<C> as Input>::Stored>,
    message: PhantomData<T>,
}

impl<C: Codec, T, K: Compression> Default for RoundTripCompressed<C, T, K> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            compression: K::default(),
            buffer: C::Buffer::default(),
            compressed: Room::default(),
            decompressed: Room::default(),
            stored: None,
            message: PhantomData,
        }
    }
}

impl<C, T: Serialize + 'static, K: Compression> Step for RoundTripCompressed<C, T, K>
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
        product.value(value)
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

    /// Without the copy that a change of the error's type costs.
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
    T: Serialize + Default + 'static,
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
        product.value(*value)
    }
}

/// `#[derive(Default)]` would ask for `T: Default`, which no step without a value needs.
macro_rules! start_empty {
    ($($step:ident { $($buffer:ident)? })*) => {$(
        impl<C: Codec, T> Default for $step<C, T> {
            fn default() -> Self {
                Self {
                    codec: C::default(),
                    $($buffer: C::Buffer::default(),)?
                    message: PhantomData,
                }
            }
        }
    )*};
}

start_empty! {
    SerializeReused { buffer }
    SerializeFresh {}
    DeserializeOwned {}
    DeserializeBorrowed {}
    RoundTripOwned { buffer }
    RoundTripBorrowed { buffer }
}

impl<C: Codec, T: Default> Default for DeserializeExisting<C, T> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            value: T::default(),
        }
    }
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
