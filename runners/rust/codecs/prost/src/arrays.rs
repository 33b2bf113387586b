//! The messages of schemas/arrays.proto with prost's derive.

use prost::Message;
use serde::{Deserialize, Serialize};
use wirelab_kit::{Decode, DecodeInto, Encode, Runner, Scenario};
use wirelab_messages::{ARRAY_F32, ARRAY_F64, ARRAY_U16, ARRAY_U32, ARRAY_U64, NESTED_OBJECT};

#[derive(Message, Serialize, Deserialize)]
pub struct NestedObject {
    #[prost(message, required, tag = 1)]
    pub fixed_object: FixedObject,
    #[prost(message, required, tag = 2)]
    pub fixed_name_object: FixedNameObject,
    #[prost(message, required, tag = 3)]
    pub another_object: AnotherObject,
    #[prost(string, repeated, tag = 4)]
    pub string_array: Vec<String>,
    #[prost(string, tag = 5)]
    pub string: String,
    #[prost(double, tag = 6)]
    pub number: f64,
    #[prost(bool, tag = 7)]
    pub boolean: bool,
    #[prost(bool, tag = 8)]
    pub another_bool: bool,
}

#[derive(Message, Serialize, Deserialize)]
pub struct FixedObject {
    #[prost(sint32, repeated, tag = 1)]
    pub int_array: Vec<i32>,
    #[prost(float, repeated, tag = 2)]
    pub float_array: Vec<f32>,
    #[prost(double, repeated, tag = 3)]
    pub double_array: Vec<f64>,
}

#[derive(Message, Serialize, Deserialize)]
pub struct FixedNameObject {
    #[prost(string, tag = 1)]
    pub name0: String,
    #[prost(string, tag = 2)]
    pub name1: String,
    #[prost(string, tag = 3)]
    pub name2: String,
    #[prost(string, tag = 4)]
    pub name3: String,
    #[prost(string, tag = 5)]
    pub name4: String,
}

#[derive(Message, Serialize, Deserialize)]
pub struct AnotherObject {
    #[prost(string, tag = 1)]
    pub string: String,
    #[prost(string, tag = 2)]
    pub another_string: String,
    #[prost(bool, tag = 3)]
    pub boolean: bool,
    #[prost(message, required, tag = 4)]
    pub nested_object: InnerObject,
}

#[derive(Message, Serialize, Deserialize)]
pub struct InnerObject {
    #[prost(message, repeated, tag = 1)]
    pub v3s: Vec<Vector3>,
    #[prost(string, tag = 2)]
    pub id: String,
}

/// Canonical JSON has its numbers as a list.
#[derive(Clone, Message, Serialize, Deserialize)]
#[serde(from = "[f64; 3]", into = "[f64; 3]")]
pub struct Vector3 {
    #[prost(double, tag = 1)]
    pub x: f64,
    #[prost(double, tag = 2)]
    pub y: f64,
    #[prost(double, tag = 3)]
    pub z: f64,
}

impl From<[f64; 3]> for Vector3 {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<Vector3> for [f64; 3] {
    fn from(Vector3 { x, y, z }: Vector3) -> Self {
        [x, y, z]
    }
}

#[derive(Message, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArrayF64 {
    #[prost(double, repeated, tag = 1)]
    pub values: Vec<f64>,
}

#[derive(Message, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArrayF32 {
    #[prost(float, repeated, tag = 1)]
    pub values: Vec<f32>,
}

#[derive(Message, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArrayU64 {
    #[prost(fixed64, repeated, tag = 1)]
    pub values: Vec<u64>,
}

#[derive(Message, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArrayU32 {
    #[prost(fixed32, repeated, tag = 1)]
    pub values: Vec<u32>,
}

#[derive(Message, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArrayU16 {
    #[prost(uint32, repeated, tag = 1)]
    pub values: Vec<u32>,
}

impl wirelab_kit::Message for NestedObject {
    const SCENARIOS: &'static [Scenario] = NESTED_OBJECT;
}

impl wirelab_kit::Message for ArrayF64 {
    const SCENARIOS: &'static [Scenario] = ARRAY_F64;
}

impl wirelab_kit::Message for ArrayF32 {
    const SCENARIOS: &'static [Scenario] = ARRAY_F32;
}

impl wirelab_kit::Message for ArrayU64 {
    const SCENARIOS: &'static [Scenario] = ARRAY_U64;
}

impl wirelab_kit::Message for ArrayU32 {
    const SCENARIOS: &'static [Scenario] = ARRAY_U32;
}

impl wirelab_kit::Message for ArrayU16 {
    const SCENARIOS: &'static [Scenario] = ARRAY_U16;
}

/// Offers the nested object and the arrays, as output also into an existing value.
pub fn serve<C>(runner: Runner<C>) -> Runner<C>
where
    C: Encode<NestedObject> + for<'a> Decode<'a, NestedObject> + DecodeInto<NestedObject>,
    C: Encode<ArrayF64> + for<'a> Decode<'a, ArrayF64> + DecodeInto<ArrayF64>,
    C: Encode<ArrayF32> + for<'a> Decode<'a, ArrayF32> + DecodeInto<ArrayF32>,
    C: Encode<ArrayU64> + for<'a> Decode<'a, ArrayU64> + DecodeInto<ArrayU64>,
    C: Encode<ArrayU32> + for<'a> Decode<'a, ArrayU32> + DecodeInto<ArrayU32>,
    C: Encode<ArrayU16> + for<'a> Decode<'a, ArrayU16> + DecodeInto<ArrayU16>,
{
    runner
        .message::<NestedObject>()
        .existing::<NestedObject>()
        .message::<ArrayF64>()
        .existing::<ArrayF64>()
        .message::<ArrayF32>()
        .existing::<ArrayF32>()
        .message::<ArrayU64>()
        .existing::<ArrayU64>()
        .message::<ArrayU32>()
        .existing::<ArrayU32>()
        .message::<ArrayU16>()
        .existing::<ArrayU16>()
}
