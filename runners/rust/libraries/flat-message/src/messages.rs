/// The module `messages`: those with FlatMessage's derives, as published (only `ProcessCreated` stores the name of its type). serde's
/// derives make canonical JSON.
#[macro_export]
macro_rules! messages {
    () => {
        mod messages {
            // The code of the derives needs many of the crate's names.
            use flat_message::*;
            use serde::{Deserialize, Serialize};
            use wirelab_kit::{Borrowable, Message, Scenario};

            #[derive(FlatMessage, Serialize, Deserialize)]
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

            #[derive(FlatMessage, Serialize)]
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

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            pub struct Point {
                pub x: i32,
                pub y: i32,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            pub struct LongStrings {
                pub string_one: String,
                pub string_two: String,
                pub string_three: String,
                pub string_four: String,
                pub value_one: u32,
                pub value_two: u64,
            }

            #[derive(FlatMessage, Serialize)]
            #[flat_message_options(store_name = false)]
            pub struct LongStringsRef<'a> {
                pub string_one: &'a str,
                pub string_two: &'a str,
                pub string_three: &'a str,
                pub string_four: &'a str,
                pub value_one: u32,
                pub value_two: u64,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            pub struct LargeVectors {
                pub ints: Vec<i32>,
                pub floats: Vec<f32>,
                pub uints: Vec<u32>,
                pub doubles: Vec<f64>,
            }

            #[derive(FlatMessage, Serialize)]
            #[flat_message_options(store_name = false)]
            pub struct LargeVectorsRef<'a> {
                pub ints: &'a [i32],
                pub floats: &'a [f32],
                pub uints: &'a [u32],
                pub doubles: &'a [f64],
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            pub struct EnumFields {
                #[flat_message_item(repr = u8, kind = enum)]
                pub col: Color,
                #[flat_message_item(repr = u32, kind = enum)]
                pub math: Math,
                #[flat_message_item(repr = i64, kind = enum)]
                pub neg: Negative,
            }

            #[derive(Clone, Copy, FlatMessageEnum, Serialize, Deserialize)]
            #[repr(u8)]
            pub enum Color {
                Red = 1,
                Green = 2,
                Blue = 3,
                Yellow = 100,
                Cyan = 101,
                Magenta = 102,
            }

            #[derive(Clone, Copy, FlatMessageEnum, Serialize, Deserialize)]
            #[repr(u32)]
            pub enum Math {
                A = 1,
                B = 1_000,
                C = 1_000_000,
                D = 1_000_000_000,
            }

            #[derive(Clone, Copy, FlatMessageEnum, Serialize, Deserialize)]
            #[repr(i64)]
            pub enum Negative {
                A = 1,
                B = -1_000,
                C = 1_000_000,
                D = -1_000_000_000,
                E = 1_000_000_000_000,
                F = -1_000_000_000_000_000,
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

            impl Borrowable for LargeVectors {
                type Borrowed<'a> = LargeVectorsRef<'a>;
            }
        }
    };
}
