//! What a runner offers of files with rows.

use super::Runner;
use crate::base::cache;
use crate::commands::transcode::Transcoder;
use crate::files::{self, Matches, RowFile};
use crate::measuring::prepare::Prepare;
use crate::model::message::{Message, Scenario};

impl<C> Runner<C> {
    /// Offers `write`, `read` and `filter` of files with rows of a type, in the file format `F`.
    pub fn files<F: RowFile<T>, T: Message + Matches>(self) -> Self {
        self.unfiltered_files::<F, T>()
            .reading_files::<T>(
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

    /// Offers `write` and `read` of files with rows of a type, in the file format `F`.
    pub fn unfiltered_files<F: RowFile<T>, T: Message>(mut self) -> Self {
        if self.role.is_none() && self.about.takes(T::FEATURES) {
            let transcoder = |&scenario: &Scenario| Transcoder {
                scenario,
                encode: files::encode::<F, T>,
                decode: files::decode::<F, T>,
                filter: None,
                update: None,
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
        .reading_files::<T>(
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

    /// Offers an operation that reads, under each condition `io`; files also with a cold cache where the system can
    /// evict their pages. `warm` and `cold` hold io=as-published, then io=buffered.
    fn reading_files<T: Message>(
        self,
        operation: &'static str,
        warm: [Prepare; 2],
        memory: Prepare,
        cold: [Prepare; 2],
    ) -> Self {
        let caches = [("warm", warm), ("cold", cold)];
        let offered = if cache::CAN_EVICT { 2 } else { 1 };
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
}
