//! The size of the data itself, which the FlatMessage book ("Process Create Event") compares encoded sizes with.

use std::collections::BTreeMap;

use crate::arrays::{
    AnotherObject, Array, FixedNameObject, FixedObject, InnerObject, NestedObject,
};
use crate::logs::{Attachment, Level, LogBlock, LogMeta, LogRecord, LogSecret, LogText, Origin};
use crate::types::{
    Color, EnumFields, LargeVectors, LongStrings, Math, Negative, Point, ProcessCreated,
};

/// The size of the data of a value, in bytes: primitives and enums have their width, strings and vectors the shortest
/// length prefix that holds their count.
pub trait DataSize {
    fn data_size(&self) -> usize;
}

macro_rules! by_width {
    ($($type:ty)*) => {$(
        impl DataSize for $type {
            fn data_size(&self) -> usize {
                size_of::<$type>()
            }
        }
    )*};
}

by_width! { bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 Color Math Negative Level Origin }

impl<T: DataSize, const N: usize> DataSize for [T; N] {
    fn data_size(&self) -> usize {
        self.iter().map(T::data_size).sum()
    }
}

/// The numbers alone: a message that is a list needs no length prefix.
impl<T> DataSize for Array<T> {
    fn data_size(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}

impl DataSize for String {
    fn data_size(&self) -> usize {
        prefix_size(self.len()) + self.len()
    }
}

impl<T: DataSize> DataSize for Vec<T> {
    fn data_size(&self) -> usize {
        prefix_size(self.len()) + self.iter().map(T::data_size).sum::<usize>()
    }
}

impl<K: DataSize, V: DataSize> DataSize for BTreeMap<K, V> {
    fn data_size(&self) -> usize {
        let entries = self
            .iter()
            .map(|(key, value)| key.data_size() + value.data_size());
        prefix_size(self.len()) + entries.sum::<usize>()
    }
}

impl DataSize for LogSecret {
    fn data_size(&self) -> usize {
        self.0.data_size()
    }
}

/// The width of a length prefix in bytes.
fn prefix_size(length: usize) -> usize {
    match length {
        0..255 => 1,
        255..65_535 => 2,
        65_535..=0xFFFF_FFFE => 4,
        _ => 8,
    }
}

macro_rules! sum_of_fields {
    ($($type:ident { $($field:ident)* })*) => {$(
        impl DataSize for $type {
            fn data_size(&self) -> usize {
                let $type { $($field),* } = self;
                0 $(+ $field.data_size())*
            }
        }
    )*};
}

sum_of_fields! {
    ProcessCreated {
        name pid parent_pid parent user command_line timestamp unique_id memory_usage protected_process
    }
    Point { x y }
    LongStrings { string_one string_two string_three string_four value_one value_two }
    LargeVectors { ints floats uints doubles }
    EnumFields { col math neg }
    LogMeta { level target tm }
    LogText { meta payload }
    LogRecord { meta payload }
    Attachment { uuid name chunk data fields }
    LogBlock {
        field_u8 field_u16 field_u32 field_u64 field_u128 field_i8 field_i16 field_i32 field_i64 field_i128
        field_f32 field_f64 field_bool blob_a blob_b
    }
    NestedObject {
        fixed_object fixed_name_object another_object string_array string number boolean another_bool
    }
    FixedObject { int_array float_array double_array }
    FixedNameObject { name0 name1 name2 name3 name4 }
    AnotherObject { string another_string boolean nested_object }
    InnerObject { v3s id }
}

#[cfg(test)]
mod tests {
    use wirelab_kit::canonical;

    use super::*;

    /// `count` values from `low` in steps of `step`, which start over at `high`.
    fn cyclic(count: usize, low: i32, high: i32, step: i32) -> impl Iterator<Item = i32> {
        (low..high).step_by(step as usize).cycle().take(count)
    }

    /// The sizes are those of the FlatMessage book.
    #[test]
    fn the_published_values_have_the_published_sizes() {
        let json = include_bytes!("../testdata/process-created.json");
        let process_created: ProcessCreated = canonical::read(json).unwrap();
        assert_eq!(process_created.data_size(), 233);

        assert_eq!(Point { x: -10, y: 100 }.data_size(), 8);

        let long_strings = LongStrings {
            string_one: "Hello, World".repeat(100),
            string_two: "How are you doing ?".repeat(100),
            string_three: "Testing".repeat(100),
            string_four: "X".repeat(100),
            value_one: 1_000_000,
            value_two: 1_000_000_000,
        };
        assert_eq!(long_strings.data_size(), 3919);

        let million = 1_000_000;
        let large_vectors = LargeVectors {
            ints: cyclic(2000, 200, 220, 1).collect(),
            floats: cyclic(10_000, -million, million, 10_000)
                .map(|f| f as f32)
                .collect(),
            uints: cyclic(25_000, 0, million, 10_000)
                .map(|u| u as u32)
                .collect(),
            doubles: cyclic(30_000, 0, million, 10_000).map(f64::from).collect(),
        };
        assert_eq!(large_vectors.data_size(), 388_008);

        let enum_fields = EnumFields {
            col: Color::Magenta,
            math: Math::D,
            neg: Negative::F,
        };
        assert_eq!(enum_fields.data_size(), 13);
    }
}
