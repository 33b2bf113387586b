/// The canary: a fixed piece of arithmetic beside each timed loop, whose time tells what disturbs the core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wirelab {

namespace canary {

/// The kernel. Runners that name the same one run the same machine code, unless it is `portable/1`.
std::string_view name();

/// Runs the kernel once, about half a millisecond; gives its time.
std::uint64_t time_ns();

}  // namespace canary

/// How long the canaries at one place of a chain took.
struct Canary {
    std::uint64_t kernel_ns = 0;
    /// None without a copy.
    std::optional<std::uint64_t> copy_ns{};
};

/// Runs canaries: the kernel and, for scenarios whose data is in no cache near the core, a copy of memory.
class Canaries {
public:
    /// Allocates and writes the buffers of a copy of so many bytes; with 0 there is none.
    explicit Canaries(std::size_t copy_bytes);

    Canary run();

private:
    void copy();

    std::vector<char> source_, target_;
};

}  // namespace wirelab
