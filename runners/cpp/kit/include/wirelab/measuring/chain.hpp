/// A chain of timed loops with a canary on either side of each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "wirelab/measuring/canary.hpp"
#include "wirelab/measuring/clock.hpp"
#include "wirelab/measuring/workload.hpp"

namespace wirelab {

/// A timed loop and what stood beside it.
struct Link {
    Canary before;
    Canary after;
    Lap lap;
    /// None where the system does not count them.
    std::optional<std::uint64_t> involuntary_switches;
};

/// How often the system took the processor so far: from this thread on Linux, from the process on other Unix systems.
std::optional<std::uint64_t> involuntary_switches();

/// Times `samples` loops: canary, loop, canary, loop, … canary, after one canary whose time is not kept. Nothing but
/// the canary and the count of switches stands between two loops.
std::vector<Link> chain(Workload& workload, Canaries& canaries, std::uint64_t repetitions, std::uint64_t samples);

}  // namespace wirelab
