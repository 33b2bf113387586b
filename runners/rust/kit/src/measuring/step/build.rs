//! The steps of `build` and `build+serialize`: from the plain type of the language to the message type of a library.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::Step;
use crate::measuring::call;
use crate::model::buffer::{Buffer, Input};
use crate::model::codec::{Codec, Encode};
use crate::model::message::Message;
use crate::model::product::Product;

/// build: a message from a borrowed plain value, dropped inside the clock.
pub struct Build<T, P>(PhantomData<(T, P)>);

impl<T, P> Step for Build<T, P>
where
    T: Message + for<'p> From<&'p P>,
    P: 'static,
{
    type Input = P;
    type Output<'a> = T;
    type Error = Infallible;

    #[inline]
    fn step<'a>(&'a mut self, plain: &'a P) -> Result<T, Infallible> {
        Ok(call::build(plain))
    }

    fn record(message: &T, product: &mut Product) -> Result<(), String> {
        product.decoded(message)
    }
}

/// build+serialize, buffer=reused: the message is dropped inside the clock.
pub struct BuildSerialize<C: Codec, T, P> {
    codec: C,
    buffer: C::Buffer,
    message: PhantomData<(T, P)>,
}

impl<C, T, P> Step for BuildSerialize<C, T, P>
where
    C: Encode<T>,
    T: for<'p> From<&'p P> + 'static,
    P: 'static,
{
    type Input = P;
    type Output<'a> = &'a C::Buffer;
    type Error = C::EncodeError;

    #[inline]
    fn step<'a>(&'a mut self, plain: &'a P) -> Result<&'a C::Buffer, C::EncodeError> {
        let message: T = call::build(plain);
        self.buffer.clear();
        call::encode(&mut self.codec, &message, &mut self.buffer)?;
        Ok(&self.buffer)
    }

    fn record(buffer: &&C::Buffer, product: &mut Product) -> Result<(), String> {
        product.message(buffer.as_input().as_bytes())
    }
}

impl<T, P> Default for Build<T, P> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<C: Codec, T, P> Default for BuildSerialize<C, T, P> {
    fn default() -> Self {
        Self {
            codec: C::default(),
            buffer: C::Buffer::default(),
            message: PhantomData,
        }
    }
}
