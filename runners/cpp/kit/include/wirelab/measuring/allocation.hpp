/// The allocator of every runner: the system's, which counts when asked and keeps to a budget when told to.
///
/// Where the C library lets a program stand before `malloc` (glibc, outside of sanitizers), all that a library
/// allocates is seen; elsewhere nothing is counted, and what `new` allocates keeps to the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace wirelab {

/// How much a piece of code allocated. A reallocation counts as one of the bytes by which the block grows.
struct Allocations {
    std::uint64_t allocations = 0;
    std::uint64_t allocated_bytes = 0;
};

namespace allocation {

void start_counting();
/// None where allocations cannot be counted.
std::optional<Allocations> stop_counting();

/// From here on, an allocation that would make the process hold `bytes` more than now ends it: `line` is printed to
/// standard error and `exit_code` returned. Libraries that do not expect allocation to fail then do not crash.
void limit(std::size_t bytes, std::string line, int exit_code);

}  // namespace allocation

/// Runs `work` and counts what the process allocates meanwhile.
template <class Work>
std::optional<Allocations> count_allocations(const Work& work) {
    allocation::start_counting();
    work();
    return allocation::stop_counting();
}

}  // namespace wirelab
