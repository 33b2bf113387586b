//! The tables of schemas/log-records.fbs, with the same calls that flatc's generated code makes.
//!
//! Written by hand, since no flatc for this version of the library can be had without building one; a test holds the
//! places of the fields against the schema.

use flatbuffers::{
    FlatBufferBuilder, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, TableFinishedWIPOffset,
    Vector, Verifiable, Verifier, WIPOffset,
};
use wirelab_kit::files::Failure;

/// A table that was built.
pub type Built = WIPOffset<TableFinishedWIPOffset>;

/// Tables with their fields in the schema's order: scalars, and what is behind an offset and required.
macro_rules! tables {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $kind:ident $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(Table<'a>);

        impl<'a> Follow<'a> for $name<'a> {
            type Inner = Self;

            #[inline]
            unsafe fn follow(bytes: &'a [u8], place: usize) -> Self {
                // SAFETY: as the caller promised, a table of this kind begins there.
                Self(unsafe { Table::new(bytes, place) })
            }
        }

        impl<'a> Verifiable for $name<'a> {
            fn run_verifier(verifier: &mut Verifier, place: usize) -> Result<(), InvalidFlatbuffer> {
                verifier.visit_table(place)?
                    $(.visit_field::<tables!(@verified $kind $type)>(
                        stringify!($field),
                        slot(stringify!($field), FIELDS.$name),
                        tables!(@is_required $kind),
                    )?)*
                    .finish();
                Ok(())
            }
        }

        impl<'a> $name<'a> {
            $(tables! { @accessor $kind $field $type, slot(stringify!($field), FIELDS.$name) })*
        }
    )*
        /// The names of the fields of each table, in the schema's order.
        #[allow(non_snake_case)]
        pub struct Fields { $(pub $name: &'static [&'static str],)* }

        pub const FIELDS: Fields = Fields { $($name: &[$(stringify!($field)),*],)* };

        #[cfg(test)]
        pub const TABLES: &[(&str, &[&str])] = &[$((stringify!($name), FIELDS.$name)),*];
    };
    (@verified scalar $type:ty) => { $type };
    (@verified offset $type:ty) => { ForwardsUOffset<$type> };
    (@is_required scalar) => { false };
    (@is_required offset) => { true };
    (@accessor scalar $field:ident $type:ty, $slot:expr) => {
        #[inline]
        pub fn $field(&self) -> $type {
            const SLOT: u16 = $slot;
            // SAFETY: a field of this type lies in this slot of the table.
            unsafe { self.0.get::<$type>(SLOT, Some(<$type>::default())) }.unwrap_or_default()
        }
    };
    (@accessor offset $field:ident $type:ty, $slot:expr) => {
        #[inline]
        pub fn $field(&self) -> Result<<$type as Follow<'a>>::Inner, Failure> {
            const SLOT: u16 = $slot;
            // SAFETY: an offset to this type lies in this slot of the table.
            unsafe { self.0.get::<ForwardsUOffset<$type>>(SLOT, None) }
                .ok_or_else(|| concat!("the field ", stringify!($field), " is missing").into())
        }
    };
}

/// The slot of a field in its table: 4 for the first, and 2 more for each that follows.
pub const fn slot(field: &str, fields: &[&str]) -> u16 {
    let mut place = 0;
    while place < fields.len() {
        if is(field.as_bytes(), fields[place].as_bytes()) {
            return 4 + 2 * place as u16;
        }
        place += 1;
    }
    panic!("no such field")
}

const fn is(left: &[u8], right: &[u8]) -> bool {
    let mut place = 0;
    while place < left.len() && place < right.len() && left[place] == right[place] {
        place += 1;
    }
    place == left.len() && place == right.len()
}

tables! {
    Meta {
        level: scalar u8,
        target: scalar u8,
        tm: scalar u64,
    }
    Field {
        key: offset &'a str,
        value: offset &'a str,
    }
    Attachment {
        uuid: offset &'a str,
        name: offset &'a str,
        chunk: scalar u32,
        data: offset Vector<'a, u8>,
        fields: offset Vector<'a, ForwardsUOffset<Field<'a>>>,
    }
    Record {
        meta: offset Meta<'a>,
        msg: offset &'a str,
    }
    RecordBinary {
        meta: offset Meta<'a>,
        payload: offset Attachment<'a>,
    }
    RecordCrypt {
        meta: offset Meta<'a>,
        payload: offset Vector<'a, u8>,
    }
    Block {
        field_u8: scalar u8,
        field_u16: scalar u16,
        field_u32: scalar u32,
        field_u64: scalar u64,
        field_u128: offset Vector<'a, u8>,
        field_i8: scalar i8,
        field_i16: scalar i16,
        field_i32: scalar i32,
        field_i64: scalar i64,
        field_i128: offset Vector<'a, u8>,
        field_f32: scalar f32,
        field_f64: scalar f64,
        field_bool: scalar bool,
        blob_a: offset Vector<'a, u8>,
        blob_b: offset Vector<'a, u8>,
    }
    Borrowed {
        block: offset Block<'a>,
    }
}

/// Builds a table: `build!(builder, Meta { level: scalar 1, tm: scalar 2 })`; offsets are of what was built before.
macro_rules! build {
    ($builder:expr, $name:ident { $($field:ident: $kind:ident $value:expr),* $(,)? }) => {{
        let start = $builder.start_table();
        $(build!(@push $kind $builder, const {
            crate::tables::slot(stringify!($field), crate::tables::FIELDS.$name)
        }, $value);)*
        $builder.end_table(start)
    }};
    (@push scalar $builder:expr, $slot:expr, $value:expr) => {
        $builder.push_slot($slot, $value, Default::default())
    };
    (@push offset $builder:expr, $slot:expr, $value:expr) => {
        $builder.push_slot_always($slot, $value)
    };
}

pub(crate) use build;

/// The builder of a row.
pub type Builder = FlatBufferBuilder<'static>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Field names of each table, as the schema has them.
    fn schema() -> Vec<(String, Vec<String>)> {
        let text = include_str!("../../../../../schemas/log-records.fbs");
        text.split("table ")
            .skip(1)
            .map(|table| {
                let (name, rest) = table.split_once('{').unwrap();
                let (body, _) = rest.split_once('}').unwrap();
                let fields = body.split(';').filter_map(|field| field.split_once(':'));
                let names = fields.map(|(field, _)| field.trim().to_owned());
                (name.trim().to_owned(), names.collect())
            })
            .collect()
    }

    #[test]
    fn the_tables_are_those_of_the_schema() {
        let here: Vec<_> = TABLES
            .iter()
            .map(|(name, fields)| {
                (
                    (*name).to_owned(),
                    fields.iter().map(|f| (*f).to_owned()).collect(),
                )
            })
            .collect();
        assert_eq!(here, schema());
    }
}
