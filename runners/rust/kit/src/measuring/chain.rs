//! A chain of timed loops with a canary on either side of each.

use crate::base::canary::{self, Copy};
use crate::base::switches;
use crate::measuring::timing::Lap;
use crate::measuring::workload::{FileCounts, Workload};

/// How long the canaries took at one place of the chain.
#[derive(Clone, Copy, Debug)]
pub struct Canary {
    pub kernel_ns: u64,
    /// None without `--copy-canary`.
    pub copy_ns: Option<u64>,
}

/// A timed loop and what stood beside it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub before: Canary,
    pub after: Canary,
    pub lap: Lap,
    pub counts: Option<FileCounts>,
    /// None where the system does not count them.
    pub involuntary_switches: Option<u64>,
}

/// Runs canaries.
pub struct Canaries {
    copy: Option<Copy>,
}

impl Canaries {
    /// Prepares the canaries; with `copy_bytes` of 0, without the copy.
    pub fn new(copy_bytes: usize) -> Self {
        Self {
            copy: (copy_bytes > 0).then(|| Copy::new(copy_bytes)),
        }
    }

    pub fn run(&mut self) -> Canary {
        Canary {
            kernel_ns: canary::time_ns(),
            copy_ns: self.copy.as_mut().map(Copy::time_ns),
        }
    }
}

/// Runs the timed loop `loops` times: canary, loop, canary, loop … canary, after one canary that is not kept. Nothing
/// but the canary stands between two loops.
///
/// # Errors
/// The first error of a loop ends the chain.
pub fn run(
    workload: &mut dyn Workload,
    canaries: &mut Canaries,
    repetitions: u64,
    loops: usize,
) -> Result<Vec<Link>, String> {
    let mut links = Vec::with_capacity(loops);
    canaries.run();
    let mut before = canaries.run();
    for _ in 0..loops {
        let switches = switches::involuntary();
        let lap = workload.repeat(repetitions)?;
        let involuntary_switches = switches::involuntary()
            .zip(switches)
            .map(|(after, before)| after - before);
        let after = canaries.run();
        links.push(Link {
            before,
            after,
            lap,
            counts: workload.counts(),
            involuntary_switches,
        });
        before = after;
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::allocation::Allocations;
    use crate::model::product::Product;

    /// Counts its loops as rows.
    #[derive(Default)]
    struct Counting(u64);

    impl Workload for Counting {
        fn repeat(&mut self, _: u64) -> Result<Lap, String> {
            self.0 += 1;
            Ok(Lap::default())
        }

        fn allocations(&mut self) -> Result<Allocations, String> {
            unreachable!("a chain counts nothing")
        }

        fn product(&mut self, _: bool) -> Result<Product, String> {
            unreachable!("the product comes after the chain")
        }

        fn counts(&self) -> Option<FileCounts> {
            Some(FileCounts {
                rows: self.0,
                ..FileCounts::default()
            })
        }
    }

    fn chain(loops: usize, copy_bytes: usize) -> Vec<Link> {
        let mut canaries = Canaries::new(copy_bytes);
        run(&mut Counting::default(), &mut canaries, 1, loops).unwrap()
    }

    #[test]
    fn each_loop_keeps_its_own_counts() {
        let rows: Vec<u64> = chain(3, 0)
            .iter()
            .map(|link| link.counts.unwrap().rows)
            .collect();
        assert_eq!(rows, [1, 2, 3]);
    }

    #[test]
    fn neighbours_share_the_canary_between_them() {
        for pair in chain(3, 0).windows(2) {
            assert_eq!(pair[0].after.kernel_ns, pair[1].before.kernel_ns);
        }
    }

    #[test]
    fn copies_are_timed_only_where_asked() {
        assert_eq!(chain(1, 0)[0].before.copy_ns, None);
        assert!(chain(1, 64)[0].after.copy_ns.is_some());
    }
}
