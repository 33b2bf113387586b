//! The system calls by which this thread read and wrote.

use std::fs;

/// Calls that move bytes: read and write, at any offset. The system does not count seeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    pub reads: u64,
    pub writes: u64,
}

/// Runs `work` and counts its calls; None where the system does not count them (only Linux does, and not always).
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Option<Calls>) {
    let first = counters();
    let before = counters();
    let outcome = work();
    let after = counters();
    // Reading the counters costs reads itself, always the same number: `before` less `first`.
    let calls = first.zip(before).zip(after);
    let calls = calls.map(|((first, before), after)| Calls {
        reads: (after.reads - before.reads) - (before.reads - first.reads),
        writes: after.writes - before.writes,
    });
    (outcome, calls)
}

/// The counters of this thread: `syscr` and `syscw` of proc_pid_io(5).
fn counters() -> Option<Calls> {
    let text = fs::read_to_string("/proc/thread-self/io").ok()?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse().ok()
    };
    Some(Calls {
        reads: value("syscr:")?,
        writes: value("syscw:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn reads_and_writes_are_counted_but_not_those_of_the_counters() {
        let path = std::env::temp_dir().join(format!("wirelab-calls-{}", std::process::id()));
        let ((), calls) = count(|| {
            let mut file = fs::File::create(&path).unwrap();
            for _ in 0..5 {
                file.write_all(b"x").unwrap();
            }
            let mut file = fs::File::open(&path).unwrap();
            for _ in 0..3 {
                file.read_exact(&mut [0]).unwrap();
            }
        });
        fs::remove_file(&path).unwrap();
        if let Some(calls) = calls {
            assert_eq!(
                calls,
                Calls {
                    reads: 3,
                    writes: 5
                }
            );
        } else {
            assert!(counters().is_none());
        }
    }

    #[test]
    fn nothing_is_nothing() {
        let none = Calls {
            reads: 0,
            writes: 0,
        };
        assert!(count(|| ()).1.is_none_or(|calls| calls == none));
    }
}
