//! The messages with prost's derive. Tag 7 of `ProcessCreated` is free, as in the published schema.

use prost::Message;
use serde::{Deserialize, Serialize};
use wirelab_kit::Scenario;

#[derive(Message, Serialize, Deserialize)]
pub struct ProcessCreated {
    #[prost(string, tag = 1)]
    pub name: String,
    #[prost(uint32, tag = 2)]
    pub pid: u32,
    #[prost(uint32, tag = 3)]
    pub parent_pid: u32,
    #[prost(string, tag = 4)]
    pub parent: String,
    #[prost(string, tag = 5)]
    pub user: String,
    #[prost(string, tag = 6)]
    pub command_line: String,
    #[prost(uint32, tag = 8)]
    pub timestamp: u32,
    #[prost(uint32, tag = 9)]
    pub unique_id: u32,
    #[prost(uint64, tag = 10)]
    pub memory_usage: u64,
    #[prost(bool, tag = 11)]
    pub protected_process: bool,
}

#[derive(Message, Serialize, Deserialize)]
pub struct Point {
    #[prost(int32, tag = 1)]
    pub x: i32,
    #[prost(int32, tag = 2)]
    pub y: i32,
}

#[derive(Message, Serialize, Deserialize)]
pub struct LongStrings {
    #[prost(string, tag = 1)]
    pub string_one: String,
    #[prost(string, tag = 2)]
    pub string_two: String,
    #[prost(string, tag = 3)]
    pub string_three: String,
    #[prost(string, tag = 4)]
    pub string_four: String,
    #[prost(uint32, tag = 5)]
    pub value_one: u32,
    #[prost(uint64, tag = 6)]
    pub value_two: u64,
}

#[derive(Message, Serialize, Deserialize)]
pub struct LargeVectors {
    #[prost(int32, repeated, tag = 1)]
    pub ints: Vec<i32>,
    #[prost(float, repeated, tag = 2)]
    pub floats: Vec<f32>,
    #[prost(uint32, repeated, tag = 3)]
    pub uints: Vec<u32>,
    #[prost(double, repeated, tag = 4)]
    pub doubles: Vec<f64>,
}

impl wirelab_kit::Message for ProcessCreated {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::PROCESS_CREATED;
}

impl wirelab_kit::Message for Point {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::POINT;
}

impl wirelab_kit::Message for LongStrings {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::LONG_STRINGS;
}

impl wirelab_kit::Message for LargeVectors {
    const SCENARIOS: &'static [Scenario] = wirelab_messages::LARGE_VECTORS;
}
