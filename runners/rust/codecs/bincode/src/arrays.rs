//! The nested object and the numeric arrays with bincode's derives.

use bincode::{Decode, Encode};
use serde::{Deserialize, Serialize};
use wirelab_kit::{Message, Scenario};
use wirelab_messages::NESTED_OBJECT;
use wirelab_messages::arrays::Number;

#[derive(Encode, Decode, Serialize, Deserialize)]
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

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct FixedObject {
    pub int_array: Vec<i32>,
    pub float_array: Vec<f32>,
    pub double_array: Vec<f64>,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct FixedNameObject {
    pub name0: String,
    pub name1: String,
    pub name2: String,
    pub name3: String,
    pub name4: String,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct AnotherObject {
    pub string: String,
    pub another_string: String,
    pub boolean: bool,
    pub nested_object: InnerObject,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct InnerObject {
    pub v3s: Vec<[f64; 3]>,
    pub id: String,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Array<T: 'static>(pub Vec<T>);

impl Message for NestedObject {
    const SCENARIOS: &'static [Scenario] = NESTED_OBJECT;
}

impl<T: Number> Message for Array<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
}
