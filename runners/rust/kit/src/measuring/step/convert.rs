//! The step of `deserialize+convert`: from bytes to the message type of a library, and on to the plain type of the
//! language.

use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;

use super::Step;
use crate::measuring::call;
use crate::model::codec::{Codec, Decode, InputOf};
use crate::model::message::Message;
use crate::model::product::Product;

/// deserialize+convert: the message goes into the conversion, and the plain value is dropped inside the clock.
pub struct DeserializeConvert<C: Codec, T, P> {
    codec: C,
    message: PhantomData<(T, P)>,
}

impl<C, T, P> Step for DeserializeConvert<C, T, P>
where
    C: for<'a> Decode<'a, T>,
    T: 'static,
    P: Message + TryFrom<T, Error: fmt::Display>,
{
    type Input = InputOf<C>;
    type Output<'a> = P;
    type Error = ConvertError<C::DecodeError, P::Error>;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<P, Self::Error> {
        let message: T = call::decode(&mut self.codec, input).map_err(ConvertError::Decode)?;
        call::convert(message).map_err(ConvertError::Convert)
    }

    /// As by default, but without the copy of the output that converting the error's type costs.
    #[inline]
    fn run<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<(), Self::Error> {
        let message: T = call::decode(&mut self.codec, input).map_err(ConvertError::Decode)?;
        let output: Result<P, _> = call::convert(message);
        black_box(&output);
        match output {
            Ok(_) => Ok(()),
            Err(error) => Err(ConvertError::Convert(error)),
        }
    }

    fn record(plain: &P, product: &mut Product) -> Result<(), String> {
        product.decoded(plain)
    }
}

impl<C: Codec, T, P> Default for DeserializeConvert<C, T, P> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            message: PhantomData,
        }
    }
}

/// What was refused: bytes that are no message, or a message that is no plain value.
#[derive(Debug)]
pub enum ConvertError<D, E> {
    Decode(D),
    Convert(E),
}

impl<D: fmt::Display, E: fmt::Display> fmt::Display for ConvertError<D, E> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Convert(error) => error.fmt(f),
        }
    }
}
