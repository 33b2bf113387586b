/// The command line that every runner has: the runner protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace wirelab::arguments {

struct Describe {};

struct Encode {
    /// None with `--type any`.
    std::optional<std::string> scenario;
};

struct Decode {
    /// None with `--type any`.
    std::optional<std::string> scenario;
    /// Whether standard input holds many messages, each behind its length as a little-endian u32.
    bool batch = false;
};

struct Measure {
    std::string scenario;
    std::string operation;
    std::vector<std::pair<std::string, std::string>> conditions;
    std::string input;
    std::string work;
    std::string out;
    std::uint64_t repetitions = 0;
    std::uint64_t warmup = 0;
    std::uint64_t samples = 0;
    std::uint64_t offset = 0;
    std::uint64_t copy_canary = 0;
};

struct Canary {
    double seconds = 0;
    std::uint64_t copy = 0;
};

/// There is nothing to do: help was shown, or what is wrong was said.
struct Done {
    int exit_code;
};

using Command = std::variant<Done, Describe, Encode, Decode, Measure, Canary>;

/// Reads the command line; shows help on standard output, what is wrong with it on standard error.
Command parse(int count, char** words);

}  // namespace wirelab::arguments
