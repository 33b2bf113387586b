//! The steps of `deserialize`.

use std::marker::PhantomData;

use super::{Step, start_empty};
use crate::measuring::call;
use crate::model::codec::{Codec, Decode, DecodeInto, InputOf};
use crate::model::message::{Borrowable, Message};
use crate::model::product::Product;

/// deserialize, output=owned.
pub struct DeserializeOwned<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: for<'a> Decode<'a, T>, T: Message> Step for DeserializeOwned<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = T;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<T, C::DecodeError> {
        call::decode(&mut self.codec, input)
    }

    fn record(value: &T, product: &mut Product) -> Result<(), String> {
        product.decoded(value)
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

impl<C: DecodeInto<T>, T: Message + Default> Step for DeserializeExisting<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = &'a T;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<&'a T, C::DecodeError> {
        call::decode_into(&mut self.codec, input, &mut self.value)?;
        Ok(&self.value)
    }

    fn record(value: &&T, product: &mut Product) -> Result<(), String> {
        product.decoded(*value)
    }
}

start_empty! {
    DeserializeOwned {}
    DeserializeBorrowed {}
}

impl<C: Codec, T: Default> Default for DeserializeExisting<C, T> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            value: T::default(),
        }
    }
}
