//! The size of the data itself, which the FlatMessage book ("Process Create Event") compares encoded sizes with.

use std::collections::BTreeMap;

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

by_width! { bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

impl<T: DataSize, const N: usize> DataSize for [T; N] {
    fn data_size(&self) -> usize {
        self.iter().map(T::data_size).sum()
    }
}

/// A byte says whether there is a value.
impl<T: DataSize> DataSize for Option<T> {
    fn data_size(&self) -> usize {
        1 + self.as_ref().map_or(0, T::data_size)
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

/// The width of a length prefix in bytes.
fn prefix_size(length: usize) -> usize {
    match length {
        0..255 => 1,
        255..65_535 => 2,
        65_535..=0xFFFF_FFFE => 4,
        _ => 8,
    }
}

macro_rules! sum_of_elements {
    ($($($item:ident)*;)*) => {$(
        impl<$($item: DataSize),*> DataSize for ($($item,)*) {
            fn data_size(&self) -> usize {
                #[allow(non_snake_case, reason = "a name for each type")]
                let ($($item,)*) = self;
                0 $(+ $item.data_size())*
            }
        }
    )*};
}

sum_of_elements! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

#[cfg(test)]
mod tests {
    use wirelab_kit::canonical;

    use super::*;
    use crate::{
        Color, EnumFields, LargeVectors, LongStrings, Math, Negative, Point, ProcessCreated,
    };

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
