//! Where on the heap a cell's data begin: a factor of its times that the driver draws (`--offset`).

use std::hint::black_box;
use std::mem;

/// A request that goes beyond every gap in the heap of a program that has read its arguments, and that glibc does not
/// yet map by itself.
const LARGE: usize = 96 << 10;
/// The longest gap of which all are filled: what glibc keeps in lists by their exact size.
const LONGEST_GAP: usize = 1040;
const ALIGNMENT: usize = 16;
/// Where an allocator's addresses do not rise, filling ends after so many blocks of a size.
const MOST_BLOCKS: usize = 256;

/// Takes so many bytes from the end of the heap for good: what is allocated later lies that much further on.
///
/// Before that, it fills the gaps that earlier work left, since what fits into them would not move. With glibc, two
/// processes that differ in `bytes` alone (a multiple of 16) have their data apart by just the difference, modulo a
/// page. Blocks that malloc maps by itself (from 128 KiB) do not move. Another allocator may round.
pub fn shift(bytes: usize) {
    let mut end = take(LARGE);
    for size in (1..=LONGEST_GAP / ALIGNMENT).rev() {
        for _ in 0..MOST_BLOCKS {
            let block = take(size * ALIGNMENT - mem::size_of::<usize>());
            if block > end {
                end = block;
                break;
            }
        }
    }
    // A block even for 0, since none can be as small as 16 bytes; and longer than any gap that may be left.
    take(2 * LONGEST_GAP + bytes);
}

/// The address of a new block that is never freed.
fn take(bytes: usize) -> usize {
    let block = Vec::<u8>::with_capacity(bytes);
    let address = black_box(&block).as_ptr().addr();
    mem::forget(block);
    address
}
