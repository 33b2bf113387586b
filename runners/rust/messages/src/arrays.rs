//! The nested object and the numeric arrays of binary_performance, for serde.
//!
//! All of them can be decoded into an existing value with `Deserialize::deserialize_in_place`: vectors and strings keep
//! their memory, as they do in the publication.

use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};
use wirelab_kit::{Decode, DecodeInto, Encode, Message, Runner, Scenario};

use crate::scenarios;
use crate::serve::{Shared, Visit};

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct NestedObject {
    pub fixed_object: FixedObject,
    pub fixed_name_object: FixedNameObject,
    pub another_object: AnotherObject,
    pub string_array: Vec<String>,
    pub string: String,
    pub number: f64,
    pub boolean: bool,
    pub another_bool: bool,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FixedObject {
    pub int_array: Vec<i32>,
    pub float_array: Vec<f32>,
    pub double_array: Vec<f64>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FixedNameObject {
    pub name0: String,
    pub name1: String,
    pub name2: String,
    pub name3: String,
    pub name4: String,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct AnotherObject {
    pub string: String,
    pub another_string: String,
    pub boolean: bool,
    pub nested_object: InnerObject,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct InnerObject {
    pub v3s: Vec<[f64; 3]>,
    pub id: String,
}

/// A message that is a list of numbers.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Array<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Array<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        existing: &mut Self,
    ) -> Result<(), D::Error> {
        Vec::deserialize_in_place(deserializer, &mut existing.0)
    }
}

/// A list of numbers for formats whose roots are structs: a struct with one field, but a bare list in canonical JSON.
#[derive(Clone, Default)]
pub struct InStruct<T>(pub Vec<T>);

impl<T: Serialize> Serialize for InStruct<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let mut fields = serializer.serialize_struct("InStruct", 1)?;
        fields.serialize_field("values", &self.0)?;
        fields.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InStruct<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        #[derive(Deserialize)]
        struct Fields<T> {
            values: Vec<T>,
        }
        Fields::deserialize(deserializer).map(|fields| Self(fields.values))
    }
}

/// A type of numbers whose arrays are messages.
pub trait Number: Serialize + DeserializeOwned + Clone + 'static {
    const SCENARIOS: &'static [Scenario];
}

impl Message for NestedObject {
    const SCENARIOS: &'static [Scenario] = scenarios::NESTED_OBJECT;
}

impl<T: Number> Message for Array<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
}

impl<T: Number> Message for InStruct<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
}

impl Shared for NestedObject {}

/// The list of number types, in one place.
macro_rules! numbers {
    ($($number:ident: $scenarios:ident,)*) => {
        $(impl Number for $number {
            const SCENARIOS: &'static [Scenario] = scenarios::$scenarios;
        })*

        $(impl Shared for Array<$number> {})*

        /// Offers the nested object and the arrays.
        pub fn serve_arrays<C>(runner: Runner<C>) -> Runner<C>
        where
            C: Encode<NestedObject> + for<'a> Decode<'a, NestedObject>,
            $(C: Encode<Array<$number>> + for<'a> Decode<'a, Array<$number>>,)*
        {
            runner.message::<NestedObject>()$(.message::<Array<$number>>())*
        }

        /// Offers the nested object and the arrays, as output also into an existing value.
        pub fn serve_arrays_existing<C>(runner: Runner<C>) -> Runner<C>
        where
            C: Encode<NestedObject> + for<'a> Decode<'a, NestedObject> + DecodeInto<NestedObject>,
            $(C: Encode<Array<$number>> + for<'a> Decode<'a, Array<$number>>,)*
            $(C: DecodeInto<Array<$number>>,)*
        {
            serve_arrays(runner).existing::<NestedObject>()$(.existing::<Array<$number>>())*
        }

        /// Visits the nested object and the arrays.
        pub fn visit_arrays<V: Visit>(visitor: V) -> V {
            visitor.visit::<NestedObject>()$(.visit::<Array<$number>>())*
        }
    };
}

numbers! {
    f64: ARRAY_F64,
    f32: ARRAY_F32,
    u64: ARRAY_U64,
    u32: ARRAY_U32,
    u16: ARRAY_U16,
}
