//! The steps of `serialize`.

use std::hint::black_box;
use std::marker::PhantomData;

use super::{Step, start_empty};
use crate::measuring::call;
use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Codec, Encode};
use crate::model::product::Product;

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

start_empty! {
    SerializeReused { buffer }
    SerializeFresh {}
}
