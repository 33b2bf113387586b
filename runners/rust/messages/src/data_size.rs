//! The size of the data itself, against which the FlatMessage book ("Process Create Event") weighs encoded sizes.

use crate::types::{
    Color, EnumFields, LargeVectors, LongStrings, Math, Negative, Point, ProcessCreated,
};

/// How many bytes the data of a value has: primitives and enums at their width, strings and vectors with the
/// shortest length prefix that holds their count.
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

by_width! { bool i32 u32 u64 f32 f64 Color Math Negative }

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
}
