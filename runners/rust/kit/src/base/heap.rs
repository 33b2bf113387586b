//! Where on the heap a cell's data lie, a factor of its times: independent of what the process did before, but for an
//! offset that the driver draws.

use std::hint::black_box;
use std::mem;

/// Beyond every gap that reading the arguments leaves, and not yet a block that glibc maps by itself.
const LARGE: usize = 96 << 10;
/// Up to here glibc keeps free blocks in lists by their exact size.
const LISTED: usize = 1040;
const ALIGNMENT: usize = 16;
/// Ends the filling of a heap whose addresses do not rise.
const MOST_BLOCKS: usize = 1 << 16;

/// Takes so many bytes from the end of the heap for good: what is allocated later lies that much further on.
///
/// With glibc, two processes that differ in `bytes` alone (a multiple of 16) have their data apart by just the
/// difference, modulo a page. Blocks that malloc maps by itself (from 128 KiB) do not move. Another allocator may round.
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
