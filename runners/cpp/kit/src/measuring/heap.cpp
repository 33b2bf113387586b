#include "wirelab/measuring/heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "wirelab/measuring/opaque.hpp"

namespace wirelab::heap {
namespace {

/// The largest gap that is looked for; glibc does not yet map a block of that size by itself.
constexpr std::size_t largest_gap = 96 << 10;
/// Up to here glibc keeps gaps of each size in a list of its own.
constexpr std::size_t largest_listed_gap = 1024;
constexpr std::size_t alignment = 16;
/// What glibc's own thresholds rise to once a block of 32 MiB was freed, the largest that it takes into account.
[[maybe_unused]] constexpr int mapped_from = 32 << 20;
[[maybe_unused]] constexpr int trimmed_from = 2 * mapped_from;
/// Where an allocator's addresses do not rise, filling ends after so many blocks of a size.
constexpr int most_blocks = 256;

/// The address of a new block that is never freed; 0 if there is no memory.
std::uintptr_t taken(std::size_t bytes) {
    void* block = std::malloc(bytes);
    return reinterpret_cast<std::uintptr_t>(opaque(block));
}

/// The next size of gaps to fill: each that glibc lists, and above those in steps of an eighth.
std::size_t next_smaller(std::size_t size) {
    if (size <= largest_listed_gap) {
        return size - alignment;
    }
    return std::max(largest_listed_gap, size - size / 8 / alignment * alignment);
}

}  // namespace

void keep() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, mapped_from);
    mallopt(M_TRIM_THRESHOLD, trimmed_from);
#endif
}

void shift(std::size_t bytes) {
    auto end = taken(largest_gap);
    for (auto size = largest_gap; size >= 2 * alignment; size = next_smaller(size)) {
        for (int count = 0; count < most_blocks; ++count) {
            const auto block = taken(size - sizeof(std::size_t));
            if (block > end) {
                end = block;
                break;
            }
        }
    }
    taken(largest_listed_gap + bytes);  // one block even for 0, since none is as small as 16 bytes
}

}  // namespace wirelab::heap
