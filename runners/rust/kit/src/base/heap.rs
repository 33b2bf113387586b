//! Where on the heap a cell's data lie, a factor of its times: independent of what the process did before, but for an
//! offset that the driver draws.

use std::hint::black_box;
use std::mem;

/// Beyond every gap that reading the arguments leaves, and not yet a block that glibc maps by itself.
const LARGE: usize = 96 << 10;
/// Up to here glibc keeps free blocks in lists by their exact size.
const LISTED: usize = 1040;
const ALIGNMENT: usize = 16;
/// What glibc's own thresholds rise to in a process that has freed a block of 32 MiB, the largest it takes into account.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_FROM: libc::c_int = 32 << 20;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIMMED_FROM: libc::c_int = 2 * MAPPED_FROM;
/// Ends the filling of a heap whose addresses do not rise.
const MOST_BLOCKS: usize = 1 << 16;

/// Has glibc keep the memory that is freed, as it does in a process that has lived for a while.
///
/// A loop that frees all that it allocated leaves the end of the heap free. From 128 KiB on glibc gives that back to the
/// system, and the next repetition faults each page in again: this took as long as borsh's reading of 10,000 records, and
/// nothing of postcard's, which asks for its memory in another order.
pub fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: both options take any number; the heap is not touched.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIMMED_FROM);
    }
}

/// Takes so many bytes from the end of the heap for good: what is allocated later lies that much further on.
///
/// With glibc, two processes that differ in `bytes` alone (a multiple of 16) have their data apart by just the
/// difference, modulo a page. Blocks that malloc maps by itself (after [`keep`] from 32 MiB) do not move. Another
/// allocator may round.
pub fn shift(bytes: usize) {
    fill();
    // A block even for 0, since none can be as small as 16 bytes; and longer than any gap that may be left.
    take(2 * LISTED + bytes);
}

/// Fills the gaps that earlier work left, for good, so that what is allocated later lies at the end of the heap, block
/// beside block. Only of glibc's heap is it known how.
///
/// Whether a growing value can stay where it is, and how its bytes lie to those it is copied from, moved the
/// instructions of a repetition by up to 10 %, between codecs that make the same calls.
pub fn fill() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return;
    }
    let mut end = take(LARGE);
    for size in (1..=LISTED / ALIGNMENT).rev() {
        for _ in 0..MOST_BLOCKS {
            let block = take(size * ALIGNMENT - mem::size_of::<usize>());
            if block > end {
                end = block;
                break;
            }
        }
    }
}

/// The address of a new block that is never freed.
fn take(bytes: usize) -> usize {
    let block = Vec::<u8>::with_capacity(bytes);
    let address = black_box(&block).as_ptr().addr();
    mem::forget(block);
    address
}
