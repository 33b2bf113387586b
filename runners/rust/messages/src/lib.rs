//! The message types of a set, which all serde codecs share, with the scenarios of each.
//!
//! They are generated from schemas/types by types.rs.j2. A codec whose library has types of its own generates the same
//! messages itself. The order of fields and variants is part of a message: some formats encode nothing else.

mod data_size;
mod encrypted;
pub mod forms;
mod raw;
mod shared;
mod types {
    #![allow(
        nonstandard_style,
        clippy::enum_variant_names,
        clippy::type_complexity,
        clippy::upper_case_acronyms,
        reason = "names and shapes may be those of data"
    )]
    #![allow(
        unused_imports,
        reason = "a set of types may have no maps, no rows of files, and no texts to borrow"
    )]

    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use serde::de::Deserializer;
    use serde::{Deserialize, Serialize};
    use wirelab_kit::files::{Framed, Matches, RowFile};
    use wirelab_kit::{
        Borrowable, Decode, DecodeInto, Encode, Look, Looked, Message, Runner, Scenario, canonical,
    };

    use crate::forms;
    use crate::raw::RawRows;
    use crate::{DataSize, Encryptable, Encrypted, Numbers, Raw, Root, Shared, Visit};

    include!(concat!(env!("WIRELAB_TYPES"), "/rust/messages/types.rs"));
}

pub use data_size::DataSize;
pub use encrypted::{Encryptable, Encrypted};
pub use raw::Raw;
pub use shared::{InStruct, Numbers, Root, Shared, Visit};
pub use types::*;
