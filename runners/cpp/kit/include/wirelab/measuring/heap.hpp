/// Where on the heap a cell's data begins: a factor of its times, which the driver draws (`--offset`).
#pragma once

#include <cstddef>

namespace wirelab::heap {

/// Takes so many bytes from the end of the heap for good, so that what is allocated later lies that much further on.
///
/// Before that it fills the gaps that earlier work left, since what fits into them would not move. With glibc, the data
/// of two processes that differ in `bytes` alone (multiples of 16) is apart by just the difference, modulo a page.
/// Blocks that malloc maps by itself (from 128 KiB) do not move. Other allocators may round.
void shift(std::size_t bytes);

}  // namespace wirelab::heap
