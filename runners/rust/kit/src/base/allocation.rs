//! The allocator of every runner: the system's, with optional counting and an optional budget.
//!
//! Without either, it costs one relaxed load for each call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// What the allocator does besides allocating.
static MODE: AtomicU8 = AtomicU8::new(PLAIN);
const PLAIN: u8 = 0;
const COUNT: u8 = 1;
const LIMIT: u8 = 2;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static ALLOCATED_BYTES: AtomicU64 = AtomicU64::new(0);

/// Bytes that may still be allocated. Memory from before the limit adds to it when it is freed.
static BUDGET_BYTES: AtomicUsize = AtomicUsize::new(usize::MAX);
static REFUSAL: OnceLock<Refusal> = OnceLock::new();

/// The system's allocator behind the counter and the budget.
pub struct Allocator;

/// The message and the exit code of a process whose budget is spent.
#[derive(Debug)]
struct Refusal {
    line: String,
    exit_code: u8,
}

/// How much a piece of code allocated.
///
/// An allocation, zeroed or not, counts as one of its size; a reallocation as one of the bytes by which it
/// grows, which are none where it shrinks. Freeing counts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    pub allocations: u64,
    pub allocated_bytes: u64,
}

/// Runs `work` and counts what the process allocates during it.
pub fn count<R>(work: impl FnOnce() -> R) -> (R, Allocations) {
    ALLOCATIONS.store(0, Relaxed);
    ALLOCATED_BYTES.store(0, Relaxed);
    MODE.store(COUNT, Relaxed);
    let result = work();
    MODE.store(PLAIN, Relaxed);
    let allocations = Allocations {
        allocations: ALLOCATIONS.load(Relaxed),
        allocated_bytes: ALLOCATED_BYTES.load(Relaxed),
    };
    (result, allocations)
}

/// From this call on, an allocation that would make the process hold `bytes` more than now ends the process with `line`
/// on standard error and with `exit_code`.
///
/// The process ends within the allocator, since in stable Rust a failed allocation can only abort.
pub fn limit(bytes: usize, line: String, exit_code: u8) {
    REFUSAL
        .set(Refusal { line, exit_code })
        .expect("a process sets one limit");
    BUDGET_BYTES.store(bytes, Relaxed);
    MODE.store(LIMIT, Relaxed);
}

/// Sets the budget of [`limit`] again, for the next input.
pub fn renew_limit(bytes: usize) {
    BUDGET_BYTES.store(bytes, Relaxed);
}

impl Allocator {
    /// Whether a call can go to the system's allocator at once.
    #[inline]
    fn is_plain() -> bool {
        MODE.load(Relaxed) == PLAIN
    }

    /// Counts `bytes` that are about to be allocated, or takes them from the budget.
    #[cold]
    #[inline(never)]
    fn before(bytes: usize) {
        if MODE.load(Relaxed) == COUNT {
            ALLOCATIONS.fetch_add(1, Relaxed);
            ALLOCATED_BYTES.fetch_add(bytes as u64, Relaxed);
        } else if BUDGET_BYTES
            .fetch_update(Relaxed, Relaxed, |budget| budget.checked_sub(bytes))
            .is_err()
        {
            Self::refuse();
        }
    }

    /// Returns `bytes` that are about to be freed to the budget.
    #[cold]
    #[inline(never)]
    fn free(bytes: usize) {
        if MODE.load(Relaxed) == LIMIT {
            BUDGET_BYTES.fetch_add(bytes, Relaxed);
        }
    }

    fn refuse() -> ! {
        MODE.store(PLAIN, Relaxed);
        let refusal = REFUSAL.get().expect("a limit has its refusal");
        // If standard error is closed, there is nowhere to report that.
        let _ = std::io::stderr().write_all(refusal.line.as_bytes());
        std::process::exit(refusal.exit_code.into())
    }
}

// SAFETY: every method passes its arguments on to `System` and returns what that returns; the counters before
// are atomics, which allocate nothing. The system's call comes last, so that it is a mere jump.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::is_plain() {
            Self::before(layout.size());
        }
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::is_plain() {
            Self::before(layout.size());
        }
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !Self::is_plain() {
            Self::before(new_size.saturating_sub(layout.size()));
            Self::free(layout.size().saturating_sub(new_size));
        }
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !Self::is_plain() {
            Self::free(layout.size());
        }
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
}
