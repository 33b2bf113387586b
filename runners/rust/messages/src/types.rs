//! The message types of one value each, for serde.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use wirelab_kit::{Borrowable, Message, Scenario};

use crate::scenarios;

/// The start of a process, as endpoint security software reports it.
#[derive(Clone, Serialize, Deserialize)]
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

/// The strings are `Cow`s, since text with escapes in JSON cannot be borrowed.
#[derive(Serialize, Deserialize)]
pub struct ProcessCreatedRef<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    pub pid: u32,
    pub parent_pid: u32,
    #[serde(borrow)]
    pub parent: Cow<'a, str>,
    #[serde(borrow)]
    pub user: Cow<'a, str>,
    #[serde(borrow)]
    pub command_line: Cow<'a, str>,
    pub timestamp: u32,
    pub unique_id: u32,
    pub memory_usage: u64,
    pub protected_process: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct LongStrings {
    pub string_one: String,
    pub string_two: String,
    pub string_three: String,
    pub string_four: String,
    pub value_one: u32,
    pub value_two: u64,
}

#[derive(Serialize, Deserialize)]
pub struct LongStringsRef<'a> {
    #[serde(borrow)]
    pub string_one: Cow<'a, str>,
    #[serde(borrow)]
    pub string_two: Cow<'a, str>,
    #[serde(borrow)]
    pub string_three: Cow<'a, str>,
    #[serde(borrow)]
    pub string_four: Cow<'a, str>,
    pub value_one: u32,
    pub value_two: u64,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct LargeVectors {
    pub ints: Vec<i32>,
    pub floats: Vec<f32>,
    pub uints: Vec<u32>,
    pub doubles: Vec<f64>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct EnumFields {
    pub col: Color,
    pub math: Math,
    pub neg: Negative,
}

#[repr(u8)]
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Color {
    Red = 1,
    Green = 2,
    Blue = 3,
    Yellow = 100,
    Cyan = 101,
    Magenta = 102,
}

#[repr(u32)]
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Math {
    A = 1,
    B = 1_000,
    C = 1_000_000,
    D = 1_000_000_000,
}

#[repr(i64)]
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Negative {
    A = 1,
    B = -1_000,
    C = 1_000_000,
    D = -1_000_000_000,
    E = 1_000_000_000_000,
    F = -1_000_000_000_000_000,
}

impl Message for ProcessCreated {
    const SCENARIOS: &'static [Scenario] = scenarios::PROCESS_CREATED;
}

impl Message for Point {
    const SCENARIOS: &'static [Scenario] = scenarios::POINT;
}

impl Message for LongStrings {
    const SCENARIOS: &'static [Scenario] = scenarios::LONG_STRINGS;
}

impl Message for LargeVectors {
    const SCENARIOS: &'static [Scenario] = scenarios::LARGE_VECTORS;
}

impl Message for EnumFields {
    const SCENARIOS: &'static [Scenario] = scenarios::ENUM_FIELDS;
}

impl Borrowable for ProcessCreated {
    type Borrowed<'a> = ProcessCreatedRef<'a>;
}

impl Borrowable for LongStrings {
    type Borrowed<'a> = LongStringsRef<'a>;
}
