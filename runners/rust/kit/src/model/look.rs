//! What reading each field of a message once gives: the product of `access`.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A digest of all that was looked at. It costs an addition a value, so that what is measured is the reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked(u64);

impl Looked {
    /// Looks at a value. An encoded message is looked at by its numbers, texts and bytes: `looked.at(view.name())`.
    #[inline]
    pub fn at<T: Look + ?Sized>(&mut self, value: &T) {
        value.look(self);
    }

    /// Looks at each value of a list, after its length.
    #[inline]
    pub fn each<T: Look>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        self.add(values.len() as u64);
        for value in values {
            value.look(self);
        }
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: u64) {
        self.0 = self.0.wrapping_add(number);
    }

    /// The digest: the same for all codecs that read the same message.
    pub fn digest(self) -> u64 {
        self.0
    }
}

/// A value that can be looked at: a number counts as itself, texts and bytes as their length and first byte, a list as its
/// length and elements, a map as a list of keys and values, an option as a bool and what it holds, an enumeration as its
/// number.
pub trait Look {
    fn look(&self, looked: &mut Looked);
}

/// An encoded message whose fields are read where they are: [`Look`] reads each of them once.
pub trait Fields: Look {
    /// Looks at those that a scenario names alone, and at the length of each list that holds them.
    fn look_at_named(&self, _: &mut Looked) {}
}

impl<T: Fields + ?Sized> Fields for &T {
    #[inline]
    fn look_at_named(&self, looked: &mut Looked) {
        (**self).look_at_named(looked);
    }
}

macro_rules! look_as {
    ($($type:ty => $number:expr;)*) => {$(
        impl Look for $type {
            #[inline]
            fn look(&self, looked: &mut Looked) {
                let number: fn($type) -> u64 = $number;
                looked.add(number(*self));
            }
        }
    )*};
}

look_as! {
    bool => u64::from;
    u8 => u64::from;
    u16 => u64::from;
    u32 => u64::from;
    u64 => |n| n;
    u128 => |n| n as u64 ^ (n >> 64) as u64;
    i8 => |n| n as u64;
    i16 => |n| n as u64;
    i32 => |n| n as u64;
    i64 => |n| n as u64;
    i128 => |n| n as u64 ^ (n >> 64) as u64;
    f32 => |n| n.to_bits().into();
    f64 => f64::to_bits;
}

impl Look for str {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        looked.add(self.len() as u64);
        looked.add(self.as_bytes().first().copied().unwrap_or(0).into());
    }
}

/// Bytes, for the types `bytes` and `[u8]`: texts in all but name.
pub struct Octets<'a>(pub &'a [u8]);

impl Look for Octets<'_> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        looked.add(self.0.len() as u64);
        looked.add(self.0.first().copied().unwrap_or(0).into());
    }
}

impl Look for String {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        self.as_str().look(looked);
    }
}

impl<T: Look + ToOwned + ?Sized> Look for Cow<'_, T> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        (**self).look(looked);
    }
}

impl<T: Look + ?Sized> Look for &T {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        (**self).look(looked);
    }
}

impl<T: Look> Look for Option<T> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        looked.add(self.is_some().into());
        if let Some(value) = self {
            value.look(looked);
        }
    }
}

impl<T: Look> Look for [T] {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        looked.each(self.iter());
    }
}

impl<T: Look> Look for Vec<T> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        self.as_slice().look(looked);
    }
}

impl<T: Look, const N: usize> Look for [T; N] {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        self.as_slice().look(looked);
    }
}

impl<K: Look, V: Look> Look for BTreeMap<K, V> {
    #[inline]
    fn look(&self, looked: &mut Looked) {
        looked.each(self.iter());
    }
}

macro_rules! look_at_tuples {
    ($($($item:ident)*;)*) => {$(
        impl<$($item: Look),*> Look for ($($item,)*) {
            #[inline]
            fn look(&self, looked: &mut Looked) {
                #[allow(non_snake_case, reason = "a name for each type")]
                let ($($item,)*) = self;
                $($item.look(looked);)*
            }
        }
    )*};
}

look_at_tuples! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(value: &impl Look) -> u64 {
        let mut looked = Looked::default();
        looked.at(value);
        looked.digest()
    }

    #[test]
    fn a_text_is_its_length_and_its_first_byte() {
        assert_eq!(digest(&"abc"), 3 + 97);
        assert_eq!(digest(&String::new()), 0);
    }

    #[test]
    fn a_list_is_its_length_and_its_elements() {
        assert_eq!(digest(&vec![10_u8, 20]), 2 + 30);
        assert_eq!(digest(&[Some(7_u32), None]), 2 + 1 + 7);
    }

    #[test]
    fn a_number_is_its_bits() {
        assert_eq!(digest(&(1.5_f64, -1_i8)), 1.5_f64.to_bits().wrapping_sub(1));
    }
}
