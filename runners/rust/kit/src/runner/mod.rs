//! The builder that a codec offers its capabilities through.

mod files;

use std::fmt::Display;
use std::marker::PhantomData;
use std::process::ExitCode;

use crate::commands::any::AnyTranscoder;
use crate::commands::describe::{About, Identical, Role};
use crate::commands::program::Program;
use crate::commands::transcode::{self, Transcoder};
use crate::measuring::cell::{COMPRESSION, Cell, Conditions, FIELDS};
use crate::measuring::prepare::{self, Prepare};
use crate::measuring::step;
use crate::model::buffer::Buffer;
use crate::model::codec::{Access, Decode, DecodeInto, Encode, Update};
use crate::model::compression::{Compression, Lz4, Zstd1, Zstd3};
use crate::model::message::{Borrowable, Message, Scenario};
use crate::schemaless::Any;

/// Conditions as names and values.
type Named<'c> = &'c [(&'static str, &'static str)];

/// The operations that read no encoded message, so that nothing is validated.
const WRITING: [&str; 4] = ["serialize", "write", "build", "build+serialize"];

/// Builds the program of the codec `C` from what it is and what it can do with each message type.
pub struct Runner<C> {
    about: About,
    role: Option<Role>,
    identical: Identical,
    cells: Vec<Cell>,
    transcoders: Vec<Transcoder>,
    any: Option<AnyTranscoder>,
    sees_allocations: bool,
    codec: PhantomData<C>,
}

impl<C> Runner<C> {
    /// The runner of a codec.
    pub fn new(about: About) -> Self {
        Self {
            about,
            role: None,
            identical: Identical::new(),
            cells: Vec::new(),
            transcoders: Vec::new(),
            any: None,
            sees_allocations: true,
            codec: PhantomData,
        }
    }

    /// The runner of a control: it encodes no format, but is measured beside the codecs.
    pub fn control(codec: &'static str, role: Role) -> Self {
        Self {
            role: Some(role),
            ..Self::new(About {
                codec,
                ..About::default()
            })
        }
    }

    /// States that the codec's code for an operation is call by call the same as that of `codec`.
    pub fn identical(mut self, operation: &'static str, codec: &'static str) -> Self {
        self.identical.insert(operation, codec);
        self
    }

    /// States that the library takes memory from C, past Rust's allocator: no allocations are reported.
    pub fn allocating_in_c(mut self) -> Self {
        self.sees_allocations = false;
        self
    }

    /// Offers values of any type, through what encodes and decodes messages. `forms` are what the codec's format has beyond
    /// null, booleans, integers, floats, texts, bytes, lists and maps: `datetime`, `ext`, `tag`.
    pub fn any(mut self, forms: &'static [&'static str]) -> Self
    where
        C: Encode<Any> + for<'a> Decode<'a, Any>,
    {
        self.any = Some(AnyTranscoder::of::<C>(forms));
        self
    }

    /// Offers values of any type as [`any`](Self::any) does, through functions of their own.
    pub fn any_through<E: Display + 'static, D: Display + 'static>(
        mut self,
        forms: &'static [&'static str],
        encode: fn(&Any) -> Result<Vec<u8>, E>,
        decode: fn(&[u8]) -> Result<Any, D>,
    ) -> Self {
        self.any = Some(AnyTranscoder::new(forms, encode, decode));
        self
    }

    /// Offers a message type under all conditions that need no more than [`Encode`] and [`Decode`].
    pub fn message<T: Message>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        let offered = self.transcoder::<T>().serialize_reused::<T>();
        if !T::IS_MEASURED {
            return offered;
        }
        offered
            .serialize_fresh::<T>()
            .cell::<T>(
                "deserialize",
                &[("output", "owned"), ("drop", "inside")],
                prepare::encoded::<C, T, step::DeserializeOwned<C, T>>,
            )
            .cell::<T>(
                "deserialize",
                &[("output", "owned"), ("drop", "outside")],
                prepare::encoded_keeping::<C, T, step::DeserializeOwned<C, T>, T>,
            )
            .cell::<T>(
                "round-trip",
                &[
                    ("buffer", "reused"),
                    ("output", "owned"),
                    ("drop", "inside"),
                ],
                prepare::values::<C, T, step::RoundTripOwned<C, T>>,
            )
            .compressed::<T, Lz4>()
            .compressed::<T, Zstd1>()
            .compressed::<T, Zstd3>()
    }

    /// Offers the published round trip through a compression. Controls are left out: they have no format.
    fn compressed<T: Message, K: Compression>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        if self.role.is_some() {
            return self;
        }
        self.cell::<T>(
            "round-trip",
            &[
                ("buffer", "reused"),
                ("output", "owned"),
                ("drop", "inside"),
                (COMPRESSION, K::NAME),
            ],
            prepare::compressed::<C, T, K>,
        )
    }

    /// Offers a message type's borrowed form as output.
    pub fn borrowed<T: Borrowable>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T::Borrowed<'a>>,
    {
        if !T::IS_MEASURED {
            return self;
        }
        self.cell::<T>(
            "deserialize",
            &[("output", "borrowed"), ("drop", "inside")],
            prepare::encoded::<C, T, step::DeserializeBorrowed<C, T>>,
        )
        .cell::<T>(
            "round-trip",
            &[
                ("buffer", "reused"),
                ("output", "borrowed"),
                ("drop", "inside"),
            ],
            prepare::values::<C, T, step::RoundTripBorrowed<C, T>>,
        )
    }

    /// Offers an existing value as output.
    pub fn existing<T: Message + Default>(self) -> Self
    where
        C: Encode<T> + DecodeInto<T>,
    {
        if !T::IS_MEASURED {
            return self;
        }
        self.cell::<T>(
            "deserialize",
            &[("output", "existing")],
            prepare::encoded::<C, T, step::DeserializeExisting<C, T>>,
        )
        .cell::<T>(
            "round-trip",
            &[("buffer", "reused"), ("output", "existing")],
            prepare::values::<C, T, step::RoundTripExisting<C, T>>,
        )
    }

    /// Offers `build` and `build+serialize` of a library's own message type `T` from the plain type `P`, and
    /// `deserialize+convert`, the way back.
    pub fn built<T, P>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
        T: Message + for<'p> From<&'p P>,
        P: Message + TryFrom<T, Error: Display>,
    {
        if !T::IS_MEASURED {
            return self;
        }
        self.cell::<T>(
            "build",
            &[("drop", "inside")],
            prepare::built::<C, T, P, step::Build<T, P>>,
        )
        .cell::<T>(
            "build+serialize",
            &[("buffer", "reused"), ("drop", "inside")],
            prepare::built::<C, T, P, step::BuildSerialize<C, T, P>>,
        )
        .cell::<T>(
            "deserialize+convert",
            &[("drop", "inside")],
            prepare::encoded::<C, T, step::DeserializeConvert<C, T, P>>,
        )
    }

    /// Offers `build+serialize` of a library that encodes the plain type `P` without making a message of it.
    pub fn built_in_encoding<P: Message>(self) -> Self
    where
        C: Encode<P>,
    {
        if !P::IS_MEASURED {
            return self;
        }
        self.cell::<P>(
            "build+serialize",
            &[("buffer", "reused"), ("drop", "inside")],
            prepare::values::<C, P, step::SerializeReused<C, P>>,
        )
    }

    /// Offers `access`: reading the fields of encoded messages in place, and in scenarios that name fields also these
    /// alone, and none.
    pub fn accessed<T: Message>(self) -> Self
    where
        C: Encode<T> + Access<T>,
    {
        if !T::IS_MEASURED {
            return self;
        }
        let offered = self.cell::<T>(
            "access",
            &[],
            prepare::encoded::<C, T, step::AccessInPlace<C, T>>,
        );
        if !T::NAMES_FIELDS {
            return offered;
        }
        offered
            .cell_where::<T>(
                |scenario| scenario.naming,
                "access",
                &[(FIELDS, "named")],
                prepare::encoded::<C, T, step::AccessNamed<C, T>>,
            )
            .cell_where::<T>(
                |scenario| scenario.naming,
                "access",
                &[(FIELDS, "root")],
                prepare::encoded::<C, T, step::AccessRoot<C, T>>,
            )
    }

    /// Offers `update`: changing fields of encoded messages in place, in scenarios that say which.
    pub fn updated<T: Message>(mut self) -> Self
    where
        C: Encode<T> + Update<T> + for<'a> Decode<'a, T>,
    {
        if !T::IS_MEASURED || !T::IS_UPDATED {
            return self;
        }
        for transcoder in &mut self.transcoders {
            let scenario = &transcoder.scenario;
            if scenario.updating && T::SCENARIOS.contains(scenario) {
                transcoder.update = Some(transcode::update::<C, T>);
            }
        }
        self.cell_where::<T>(
            |scenario| scenario.updating,
            "update",
            &[],
            prepare::updated::<C, T>,
        )
    }

    /// Offers a message type for serialization into a reused buffer.
    pub fn serialize_reused<T: Message>(self) -> Self
    where
        C: Encode<T>,
    {
        self.cell::<T>(
            "serialize",
            &[("buffer", "reused")],
            prepare::values::<C, T, step::SerializeReused<C, T>>,
        )
    }

    fn serialize_fresh<T: Message>(self) -> Self
    where
        C: Encode<T>,
    {
        if C::Buffer::PREALLOCATED {
            return self;
        }
        self.cell::<T>(
            "serialize",
            &[("buffer", "fresh")],
            prepare::values::<C, T, step::SerializeFresh<C, T>>,
        )
    }

    /// Offers a cell for each of the message type's scenarios, if the codec can take it. Adds the conditions that all cells
    /// of the codec share.
    pub fn cell<T: Message>(
        self,
        operation: &'static str,
        conditions: Named,
        prepare: Prepare,
    ) -> Self {
        self.cell_where::<T>(|_| true, operation, conditions, prepare)
    }

    /// The same, for some of the scenarios.
    fn cell_where<T: Message>(
        mut self,
        takes: fn(&Scenario) -> bool,
        operation: &'static str,
        conditions: Named,
        prepare: Prepare,
    ) -> Self {
        if !self.about.takes(T::FEATURES) {
            return self;
        }
        let conditions = self.conditions(operation, conditions);
        let scenarios = T::SCENARIOS.iter().filter(|scenario| takes(scenario));
        self.cells.extend(scenarios.map(|scenario| Cell {
            scenario: scenario.name,
            operation,
            conditions: conditions.clone(),
            rows: scenario.rows,
            prepare,
        }));
        self
    }

    fn conditions(&self, operation: &str, own: Named) -> Conditions {
        let mut conditions =
            Conditions::from([("api", self.about.api), ("build", env!("WIRELAB_BUILD"))]);
        if !WRITING.contains(&operation) {
            let validation = if self.about.validation { "on" } else { "off" };
            conditions.insert("validation", validation);
        }
        conditions.extend(own.iter().copied());
        conditions
    }

    /// Offers `encode` and `decode`. Controls are left out: what they write has no format.
    fn transcoder<T: Message>(mut self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        if self.role.is_none() && self.about.takes(T::FEATURES) {
            let transcoder = |&scenario: &Scenario| Transcoder::of::<C, T>(scenario);
            self.transcoders.extend(T::SCENARIOS.iter().map(transcoder));
        }
        self
    }

    /// Serves one command of the runner protocol, from the process's arguments and standard streams.
    pub fn run(self) -> ExitCode {
        Program::new(
            self.about,
            self.role,
            self.identical,
            self.cells,
            self.transcoders,
            self.any,
            self.sees_allocations,
        )
        .run()
    }
}
