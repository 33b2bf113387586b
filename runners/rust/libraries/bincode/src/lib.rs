//! The messages with bincode's derives, and with serde's for their canonical JSON.

use bincode::{BorrowDecode, Decode, Encode};
use serde::{Deserialize, Serialize};
use wirelab_kit::{Borrowable, Message, Scenario};

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct ProcessCreated {
    pub name: String,
    pub pid: u32,
    pub parent_pid: u32,
    pub parent: String,
    pub user: String,
    pub command_line: String,
    pub timestamp: u32,
    pub unique_id: u32,
    pub memory_usage: u64,
    pub protected_process: bool,
}

#[derive(BorrowDecode, Serialize)]
pub struct ProcessCreatedRef<'a> {
    pub name: &'a str,
    pub pid: u32,
    pub parent_pid: u32,
    pub parent: &'a str,
    pub user: &'a str,
    pub command_line: &'a str,
    pub timestamp: u32,
    pub unique_id: u32,
    pub memory_usage: u64,
    pub protected_process: bool,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct LongStrings {
    pub string_one: String,
    pub string_two: String,
    pub string_three: String,
    pub string_four: String,
    pub value_one: u32,
    pub value_two: u64,
}

#[derive(BorrowDecode, Serialize)]
pub struct LongStringsRef<'a> {
    pub string_one: &'a str,
    pub string_two: &'a str,
    pub string_three: &'a str,
    pub string_four: &'a str,
    pub value_one: u32,
    pub value_two: u64,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct LargeVectors {
    pub ints: Vec<i32>,
    pub floats: Vec<f32>,
    pub uints: Vec<u32>,
    pub doubles: Vec<f64>,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
pub struct EnumFields {
    pub col: Color,
    pub math: Math,
    pub neg: Negative,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
#[repr(u8)]
pub enum Color {
    Red = 1,
    Green = 2,
    Blue = 3,
    Yellow = 100,
    Cyan = 101,
    Magenta = 102,
}

#[derive(Encode, Decode, Serialize, Deserialize)]
#[repr(u32)]
pub enum Math {
    A = 1,
    B = 1000,
    C = 1000000,
    D = 1000000000,
}

// bincode's derive reads no separators in negative numbers.
#[derive(Encode, Decode, Serialize, Deserialize)]
#[repr(i64)]
pub enum Negative {
    A = 1,
    B = -1000,
    C = 1000000,
    D = -1000000000,
    E = 1000000000000,
    F = -1000000000000000,
}

impl Message for ProcessCreated {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::PROCESS_CREATED;
}

impl Message for Point {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::POINT;
}

impl Message for LongStrings {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::LONG_STRINGS;
}

impl Message for LargeVectors {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::LARGE_VECTORS;
}

impl Message for EnumFields {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::ENUM_FIELDS;
}

impl Borrowable for ProcessCreated {
    type Borrowed<'a> = ProcessCreatedRef<'a>;
}

impl Borrowable for LongStrings {
    type Borrowed<'a> = LongStringsRef<'a>;
}
