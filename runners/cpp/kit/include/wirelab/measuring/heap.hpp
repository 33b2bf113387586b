/// Where on the heap a cell's data begins: a factor of its times, which the driver draws (`--offset`).
#pragma once

#include <cstddef>

namespace wirelab::heap {

/// Has glibc keep the memory that is freed, as it does in a process that has lived for a while.
///
/// A loop that frees all that it allocated leaves the end of the heap free. From 128 KiB on glibc gives that back to
/// the system, and the next repetition faults each page in again.
void keep();

/// Takes so many bytes from the end of the heap for good, so that what is allocated later lies that much further on.
///
/// Before that it fills the gaps that earlier work left, since what fits into them would not move. With glibc, the data
/// of two processes that differ in `bytes` alone (multiples of 16) is apart by just the difference, modulo a page.
/// Blocks that malloc maps by itself (after `keep` from 32 MiB) do not move. Other allocators may round.
void shift(std::size_t bytes);

}  // namespace wirelab::heap
