//! A codec's capabilities, gathered.

use std::marker::PhantomData;
use std::process::ExitCode;

use crate::cell::{COMPRESSION, Cell, Conditions};
use crate::codec::{Borrowable, Buffer, Decode, DecodeInto, Encode, Message, Scenario};
use crate::compression::{Compression, Lz4, Zstd1, Zstd3};
use crate::describe::About;
use crate::files::{self, Matches, RowFile};
use crate::prepare::{self, Prepare};
use crate::program::Program;
use crate::step;
use crate::transcode::Transcoder;

/// Conditions as they are written down.
type Named<'c> = &'c [(&'static str, &'static str)];

/// Builds the program of the codec `C`: what it is, then what it can do with each message type.
pub struct Runner<C> {
    about: About,
    cells: Vec<Cell>,
    transcoders: Vec<Transcoder>,
    codec: PhantomData<C>,
}

impl<C> Runner<C> {
    pub fn new(about: About) -> Self {
        Self {
            about,
            cells: Vec::new(),
            transcoders: Vec::new(),
            codec: PhantomData,
        }
    }

    /// Offers a message type in all the ways that need no more than [`Encode`] and [`Decode`].
    pub fn message<T: Message>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        self.transcoder::<T>()
            .serialize_reused::<T>()
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

    /// Offers the published round trip through a compression, but not of controls: they have no bytes of their own.
    fn compressed<T: Message, K: Compression>(self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        if self.about.is_control() {
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

    /// Offers a cell of each of the message type's scenarios. The conditions that all of the codec's cells share are
    /// added.
    pub fn cell<T: Message>(
        mut self,
        operation: &'static str,
        conditions: Named,
        prepare: Prepare,
    ) -> Self {
        let conditions = self.conditions(operation, conditions);
        self.cells.extend(T::SCENARIOS.iter().map(|scenario| Cell {
            scenario: scenario.name,
            operation,
            conditions: conditions.clone(),
            rows: scenario.rows,
            prepare,
        }));
        self
    }

    fn conditions(&self, operation: &str, own: Named) -> Conditions {
        let mut conditions = Conditions::from([("api", self.about.api), ("build", "release")]);
        if operation != "serialize" && operation != "write" {
            let validation = if self.about.validation { "on" } else { "off" };
            conditions.insert("validation", validation);
        }
        conditions.extend(own.iter().copied());
        conditions
    }

    /// Offers `encode` and `decode`, but not of controls: nobody could read what they write.
    fn transcoder<T: Message>(mut self) -> Self
    where
        C: Encode<T> + for<'a> Decode<'a, T>,
    {
        if !self.about.is_control() {
            let transcoder = |&scenario: &Scenario| Transcoder::of::<C, T>(scenario);
            self.transcoders.extend(T::SCENARIOS.iter().map(transcoder));
        }
        self
    }

    /// Offers `write`, `read` and `filter` of a row type's files, kept as `F` does.
    pub fn files<F: RowFile<T>, T: Message + Matches>(self) -> Self {
        self.unfiltered_files::<F, T>()
            .out_of_files::<T>(
                "filter",
                [
                    files::filtering::<F, T, files::Published>,
                    files::filtering::<F, T, files::Buffered>,
                ],
                files::filtering::<F, T, files::Memory>,
                [
                    files::filtering::<F, T, files::Cold<files::Published>>,
                    files::filtering::<F, T, files::Cold<files::Buffered>>,
                ],
            )
            .filter::<F, T>()
    }

    /// Offers `write` and `read` of a row type's files, kept as `F` does.
    pub fn unfiltered_files<F: RowFile<T>, T: Message>(mut self) -> Self {
        if !self.about.is_control() {
            let transcoder = |&scenario: &Scenario| Transcoder {
                scenario,
                encode: files::encode::<F, T>,
                decode: files::decode::<F, T>,
                filter: None,
            };
            self.transcoders.extend(T::SCENARIOS.iter().map(transcoder));
        }
        self.cell::<T>(
            "write",
            &[("io", "as-published")],
            files::writing::<F, T, files::Published>,
        )
        .cell::<T>(
            "write",
            &[("io", "buffered")],
            files::writing::<F, T, files::Buffered>,
        )
        .cell::<T>(
            "write",
            &[("io", "memory")],
            files::writing::<F, T, files::Memory>,
        )
        .out_of_files::<T>(
            "read",
            [
                files::reading::<F, T, files::Published>,
                files::reading::<F, T, files::Buffered>,
            ],
            files::reading::<F, T, files::Memory>,
            [
                files::reading::<F, T, files::Cold<files::Published>>,
                files::reading::<F, T, files::Cold<files::Buffered>>,
            ],
        )
    }

    /// Offers an operation that reads: under each condition `io`, and files also with a cold cache where the system
    /// has that. `warm` and `cold` are as published, then buffered.
    fn out_of_files<T: Message>(
        self,
        operation: &'static str,
        warm: [Prepare; 2],
        memory: Prepare,
        cold: [Prepare; 2],
    ) -> Self {
        let caches = [("warm", warm), ("cold", cold)];
        let offered = if files::CAN_DROP { 2 } else { 1 };
        let runner = self.cell::<T>(operation, &[("io", "memory")], memory);
        caches
            .into_iter()
            .take(offered)
            .fold(runner, |runner, (cache, prepare)| {
                ["as-published", "buffered"].into_iter().zip(prepare).fold(
                    runner,
                    |runner, (io, prepare)| {
                        runner.cell::<T>(operation, &[("io", io), ("cache", cache)], prepare)
                    },
                )
            })
    }

    /// Adds the filter to the transcoders of a row type.
    fn filter<F: RowFile<T>, T: Message>(mut self) -> Self {
        for transcoder in &mut self.transcoders {
            if T::SCENARIOS.contains(&transcoder.scenario) {
                transcoder.filter = Some(files::filter::<F, T>);
            }
        }
        self
    }

    /// Serves one command of the runner protocol, from the process's arguments and standard streams.
    pub fn run(self) -> ExitCode {
        Program::new(self.about, self.cells, self.transcoders).run()
    }
}
