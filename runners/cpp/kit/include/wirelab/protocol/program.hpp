/// The program that a runner is: one command of the runner protocol, and how it ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wirelab/about.hpp"
#include "wirelab/protocol/cell.hpp"

namespace wirelab {

/// `encode` and `decode` of a scenario: canonical JSON to a codec's bytes and back; of many messages a line of JSON
/// each, and encoded each behind its length as a little-endian u32.
struct Transcoder {
    std::string scenario;
    std::string (*encode)(std::string_view json, bool rows);
    std::string (*decode)(std::string_view bytes, bool rows);
    bool rows = false;
};

/// A codec as the commands see it.
struct Program {
    About about;
    std::vector<Cell> cells;
    std::vector<Transcoder> transcoders;
    /// That of values without a message type, from and to their notation.
    std::optional<Transcoder> any{};

    /// Serves the command in the process's arguments; gives the exit code.
    int run(int count, char** words) const;
};

}  // namespace wirelab
