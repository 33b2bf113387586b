//! Forms of values that are not serde's own, at any depth of a type: `#[serde(with = "As::<Vec<Octets>>")]`.
//!
//! `Vec`, `Option`, `BTreeMap`, arrays and tuples of forms are forms; [`Same`] is what serde has by itself.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

/// A form of values of type `T`.
pub trait Form<T: ?Sized> {
    fn serialize<S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error>;
}

/// A form that values of type `T` are read from.
pub trait FormOf<'de, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<T, D::Error>;
}

/// The functions that `#[serde(with)]` calls.
pub struct As<F>(PhantomData<F>);

impl<F> As<F> {
    pub fn serialize<T, S>(value: &T, to: S) -> Result<S::Ok, S::Error>
    where
        T: ?Sized,
        F: Form<T>,
        S: Serializer,
    {
        F::serialize(value, to)
    }

    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        F: FormOf<'de, T>,
        D: Deserializer<'de>,
    {
        F::deserialize(from)
    }
}

/// As serde has it.
pub struct Same;

impl<T: Serialize + ?Sized> Form<T> for Same {
    fn serialize<S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> FormOf<'de, T> for Same {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::deserialize(from)
    }
}

/// Integers of 128 bits: decimal text in human-readable formats, since few readers of JSON take numbers of that width.
pub struct Digits;

impl<N: Display + Serialize> Form<N> for Digits {
    fn serialize<S: Serializer>(number: &N, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.collect_str(number)
        } else {
            number.serialize(to)
        }
    }
}

impl<'de, N: FromStr<Err: Display> + Deserialize<'de>> FormOf<'de, N> for Digits {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<N, D::Error> {
        if from.is_human_readable() {
            from.deserialize_str(DigitsVisitor(PhantomData))
        } else {
            N::deserialize(from)
        }
    }
}

/// Some formats are human-readable to read and not to write, so that numbers come as they are.
struct DigitsVisitor<N>(PhantomData<N>);

impl<N: FromStr<Err: Display>> Visitor<'_> for DigitsVisitor<N> {
    type Value = N;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an integer of 128 bits as decimal text")
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<N, E> {
        digits.parse().map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<N, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<N, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<N, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<N, E> {
        self.visit_str(&number.to_string())
    }
}

/// Bytes: a list of numbers in human-readable formats, bytes in the others.
pub struct Octets;

impl<B: AsRef<[u8]>> Form<B> for Octets {
    fn serialize<S: Serializer>(bytes: &B, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.collect_seq(bytes.as_ref())
        } else {
            to.serialize_bytes(bytes.as_ref())
        }
    }
}

impl<'de, B: FromOctets<'de>> FormOf<'de, B> for Octets {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<B, D::Error> {
        if from.is_human_readable() {
            from.deserialize_seq(OctetsVisitor(PhantomData))
        } else {
            B::deserialize_bytes(from)
        }
    }
}

/// Bytes: text in base64 in human-readable formats, bytes in the others.
pub struct Base64;

impl<B: AsRef<[u8]>> Form<B> for Base64 {
    fn serialize<S: Serializer>(bytes: &B, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.serialize_str(&BASE64_STANDARD.encode(bytes))
        } else {
            to.serialize_bytes(bytes.as_ref())
        }
    }
}

impl<'de, B: FromOctets<'de>> FormOf<'de, B> for Base64 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<B, D::Error> {
        if from.is_human_readable() {
            from.deserialize_str(Base64Visitor(PhantomData))
        } else {
            B::deserialize_bytes(from)
        }
    }
}

/// Text that is borrowed where it can be.
pub struct Text;

impl<T: AsRef<str>> Form<T> for Text {
    fn serialize<S: Serializer>(text: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text.as_ref())
    }
}

impl<'de: 'a, 'a> FormOf<'de, Cow<'a, str>> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Cow<'a, str>, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(transparent)]
        struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
        Borrowed::deserialize(from).map(|text| text.0)
    }
}

/// What bytes are read into.
pub trait FromOctets<'de>: Sized {
    /// From a format with bytes of its own.
    fn deserialize_bytes<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// # Errors
    /// Where the type has another length.
    fn take<E: Error>(bytes: Vec<u8>) -> Result<Self, E>;

    /// From bytes that the message holds.
    fn borrow<E: Error>(bytes: &'de [u8]) -> Result<Self, E> {
        Self::take(bytes.to_vec())
    }
}

impl<'de> FromOctets<'de> for Vec<u8> {
    fn deserialize_bytes<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_byte_buf(OctetsVisitor(PhantomData))
    }

    fn take<E: Error>(bytes: Vec<u8>) -> Result<Self, E> {
        Ok(bytes)
    }
}

impl<'de, const N: usize> FromOctets<'de> for [u8; N] {
    fn deserialize_bytes<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_byte_buf(OctetsVisitor(PhantomData))
    }

    fn take<E: Error>(bytes: Vec<u8>) -> Result<Self, E> {
        let length = bytes.len();
        Self::try_from(bytes).map_err(|_| E::invalid_length(length, &"as many bytes as the type"))
    }
}

impl<'de: 'a, 'a> FromOctets<'de> for Cow<'a, [u8]> {
    fn deserialize_bytes<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(OctetsVisitor(PhantomData))
    }

    fn take<E: Error>(bytes: Vec<u8>) -> Result<Self, E> {
        Ok(Cow::Owned(bytes))
    }

    fn borrow<E: Error>(bytes: &'de [u8]) -> Result<Self, E> {
        Ok(Cow::Borrowed(bytes))
    }
}

struct OctetsVisitor<B>(PhantomData<B>);

impl<'de, B: FromOctets<'de>> Visitor<'de> for OctetsVisitor<B> {
    type Value = B;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<B, E> {
        B::take(bytes.to_vec())
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<B, E> {
        B::borrow(bytes)
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<B, E> {
        B::take(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<B, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = numbers.next_element()? {
            bytes.push(byte);
        }
        B::take(bytes)
    }
}

struct Base64Visitor<B>(PhantomData<B>);

impl<'de, B: FromOctets<'de>> Visitor<'de> for Base64Visitor<B> {
    type Value = B;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("bytes as base64 text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<B, E> {
        B::take(BASE64_STANDARD.decode(text).map_err(E::custom)?)
    }
}

/// A value that is serialized in a form.
struct Formed<'v, T: ?Sized, F>(&'v T, PhantomData<F>);

impl<T: ?Sized, F: Form<T>> Serialize for Formed<'_, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        F::serialize(self.0, to)
    }
}

fn formed<T: ?Sized, F>(value: &T) -> Formed<'_, T, F> {
    Formed(value, PhantomData)
}

/// A value that is read from a form.
struct Read<T, F>(T, PhantomData<F>);

impl<'de, T, F: FormOf<'de, T>> Deserialize<'de> for Read<T, F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        F::deserialize(from).map(|value| Self(value, PhantomData))
    }
}

impl<T, F: Form<T>> Form<Option<T>> for Option<F> {
    fn serialize<S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_some(&formed::<T, F>(value)),
            None => to.serialize_none(),
        }
    }
}

impl<'de, T, F: FormOf<'de, T>> FormOf<'de, Option<T>> for Option<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        let read = Option::<Read<T, F>>::deserialize(from)?;
        Ok(read.map(|value| value.0))
    }
}

impl<T, F: Form<T>> Form<Vec<T>> for Vec<F> {
    fn serialize<S: Serializer>(values: &Vec<T>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(formed::<T, F>))
    }
}

impl<'de, T, F: FormOf<'de, T>> FormOf<'de, Vec<T>> for Vec<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let read = Vec::<Read<T, F>>::deserialize(from)?;
        Ok(read.into_iter().map(|value| value.0).collect())
    }
}

impl<T, F: Form<T>, const N: usize> Form<[T; N]> for [F; N] {
    fn serialize<S: Serializer>(values: &[T; N], to: S) -> Result<S::Ok, S::Error> {
        let mut tuple = to.serialize_tuple(N)?;
        for value in values {
            tuple.serialize_element(&formed::<T, F>(value))?;
        }
        tuple.end()
    }
}

impl<'de, T, F: FormOf<'de, T>, const N: usize> FormOf<'de, [T; N]> for [F; N] {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<[T; N], D::Error> {
        from.deserialize_tuple(N, Array::<T, F, N>(PhantomData))
    }
}

struct Array<T, F, const N: usize>(PhantomData<(T, F)>);

impl<'de, T, F: FormOf<'de, T>, const N: usize> Visitor<'de> for Array<T, F, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "an array of {N} values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<[T; N], A::Error> {
        let mut values = Vec::with_capacity(N);
        while values.len() < N {
            match elements.next_element::<Read<T, F>>()? {
                Some(value) => values.push(value.0),
                None => return Err(A::Error::invalid_length(values.len(), &self)),
            }
        }
        values
            .try_into()
            .map_err(|values: Vec<T>| A::Error::invalid_length(values.len(), &self))
    }
}

impl<K, V, G: Form<K>, F: Form<V>> Form<BTreeMap<K, V>> for BTreeMap<G, F> {
    fn serialize<S: Serializer>(map: &BTreeMap<K, V>, to: S) -> Result<S::Ok, S::Error> {
        let entries = map.iter();
        to.collect_map(entries.map(|(key, value)| (formed::<K, G>(key), formed::<V, F>(value))))
    }
}

impl<'de, K, V, G, F> FormOf<'de, BTreeMap<K, V>> for BTreeMap<G, F>
where
    K: Ord,
    G: FormOf<'de, K>,
    F: FormOf<'de, V>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<BTreeMap<K, V>, D::Error> {
        from.deserialize_map(Map::<K, V, G, F>(PhantomData))
    }
}

struct Map<K, V, G, F>(PhantomData<(K, V, G, F)>);

impl<'de, K, V, G, F> Visitor<'de> for Map<K, V, G, F>
where
    K: Ord,
    G: FormOf<'de, K>,
    F: FormOf<'de, V>,
{
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry::<Read<K, G>, Read<V, F>>()? {
            map.insert(key.0, value.0);
        }
        Ok(map)
    }
}

macro_rules! tuples {
    ($($length:literal: $($index:tt $item:ident $form:ident),*;)*) => {$(
        impl<$($item, $form: Form<$item>),*> Form<($($item,)*)> for ($($form,)*) {
            fn serialize<S: Serializer>(values: &($($item,)*), to: S) -> Result<S::Ok, S::Error> {
                let mut tuple = to.serialize_tuple($length)?;
                $(tuple.serialize_element(&formed::<$item, $form>(&values.$index))?;)*
                tuple.end()
            }
        }

        impl<'de, $($item, $form: FormOf<'de, $item>),*> FormOf<'de, ($($item,)*)> for ($($form,)*) {
            fn deserialize<De: Deserializer<'de>>(from: De) -> Result<($($item,)*), De::Error> {
                let read = <($(Read<$item, $form>,)*)>::deserialize(from)?;
                Ok(($(read.$index.0,)*))
            }
        }
    )*};
}

tuples! {
    2: 0 A FA, 1 B FB;
    3: 0 A FA, 1 B FB, 2 C FC;
    4: 0 A FA, 1 B FB, 2 C FC, 3 D FD;
    5: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE;
    6: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF;
    7: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG;
    8: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG, 7 H FH;
    9: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG, 7 H FH, 8 I FI;
    10: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG, 7 H FH, 8 I FI, 9 J FJ;
    11: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG, 7 H FH, 8 I FI, 9 J FJ, 10 K FK;
    12: 0 A FA, 1 B FB, 2 C FC, 3 D FD, 4 E FE, 5 F FF, 6 G FG, 7 H FH, 8 I FI, 9 J FJ, 10 K FK, 11 L FL;
}

#[cfg(test)]
mod tests {
    use wirelab_kit::canonical;

    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Forms {
        #[serde(with = "As::<Vec<Option<Digits>>>")]
        wide: Vec<Option<u128>>,
        #[serde(with = "As::<BTreeMap<Same, Octets>>")]
        octets: BTreeMap<String, Vec<u8>>,
        #[serde(with = "As::<(Base64, Same)>")]
        pair: (Vec<u8>, bool),
        #[serde(with = "As::<[Octets; 2]>")]
        arrays: [[u8; 3]; 2],
        #[serde(with = "As::<Option<Digits>>", default)]
        missing: Option<i128>,
    }

    const JSON: &str = r#"{"wide":["340282366920938463463374607431768211455",null],"octets":{"a":[255,0]},"pair":["AP8=",true],"arrays":[[1,2,3],[4,5,6]],"missing":null}"#;

    fn forms() -> Forms {
        Forms {
            wide: vec![Some(u128::MAX), None],
            octets: BTreeMap::from([("a".into(), vec![255, 0])]),
            pair: (vec![0, 255], true),
            arrays: [[1, 2, 3], [4, 5, 6]],
            missing: None,
        }
    }

    #[test]
    fn forms_stand_at_any_depth() {
        let mut json = Vec::new();
        canonical::write(&forms(), &mut json).unwrap();
        assert_eq!(str::from_utf8(&json).unwrap().trim_end(), JSON);
        assert_eq!(canonical::read::<Forms>(JSON.as_bytes()).unwrap(), forms());
    }

    #[test]
    fn what_formats_leave_out_is_missing() {
        let json = JSON.replace(r#","missing":null"#, "");
        assert_eq!(canonical::read::<Forms>(json.as_bytes()).unwrap(), forms());
    }

    #[test]
    fn an_array_of_another_length_is_refused() {
        let json = JSON.replace("[1,2,3]", "[1,2]");
        assert!(canonical::read::<Forms>(json.as_bytes()).is_err());
    }
}
