//! The step of `access`.

use std::marker::PhantomData;

use super::{Step, start_empty};
use crate::measuring::call;
use crate::model::codec::{Access, Codec, InputOf};
use crate::model::look::Looked;
use crate::model::product::Product;

/// access: every field of an encoded message is read once, where it is.
pub struct AccessInPlace<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: Access<T>, T: 'static> Step for AccessInPlace<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = Looked;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<Looked, C::DecodeError> {
        call::access(&mut self.codec, input)
    }

    fn record(looked: &Looked, product: &mut Product) -> Result<(), String> {
        product.value(&looked.digest())
    }
}

start_empty! {
    AccessInPlace {}
}
