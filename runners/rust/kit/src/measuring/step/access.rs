//! The steps of `access`.

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

/// access: the fields that the scenario names are read once, where they are.
pub struct AccessNamed<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: Access<T>, T: 'static> Step for AccessNamed<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = Looked;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<Looked, C::DecodeError> {
        call::access_named(&mut self.codec, input)
    }

    fn record(looked: &Looked, product: &mut Product) -> Result<(), String> {
        product.value(&looked.digest())
    }
}

/// access: the message is found in its bytes, and none of its fields is read. That it is the message is proved outside
/// the clock, by reading every field through it.
pub struct AccessRoot<C: Codec, T> {
    codec: C,
    message: PhantomData<T>,
}

impl<C: Access<T>, T: 'static> Step for AccessRoot<C, T> {
    type Input = InputOf<C>;
    type Output<'a> = C::Root<'a>;
    type Error = C::DecodeError;

    #[inline]
    fn step<'a>(&'a mut self, input: &'a InputOf<C>) -> Result<C::Root<'a>, C::DecodeError> {
        call::root(&mut self.codec, input)
    }

    fn record(root: &C::Root<'_>, product: &mut Product) -> Result<(), String> {
        let mut looked = Looked::default();
        looked.at(root);
        product.value(&looked.digest())
    }
}

start_empty! {
    AccessInPlace {}
    AccessNamed {}
    AccessRoot {}
}
