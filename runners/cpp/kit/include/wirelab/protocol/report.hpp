/// What a runner reports, as JSON: what it is, and a line a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wirelab/about.hpp"
#include "wirelab/measuring/chain.hpp"
#include "wirelab/protocol/cell.hpp"

namespace wirelab {

/// A line of the samples file. Times are in nanoseconds, allocations are those of one repetition.
struct Sample {
    Link link;
    std::uint64_t repetitions;
    std::uint64_t encoded_bytes;
    std::string checksum;
    std::optional<std::uint64_t> allocations;
    std::optional<std::uint64_t> allocated_bytes;
};

std::string sample_line(const Sample& sample);

/// The times of canaries, as one line.
std::string canary_line(const std::vector<Canary>& canaries);

/// The answer to `describe`, as one line.
std::string describe(const About& about, const std::vector<Cell>& cells);

/// The conditions that this build gives all of its cells: compiler and CPU target.
const Conditions& build_conditions();

}  // namespace wirelab
