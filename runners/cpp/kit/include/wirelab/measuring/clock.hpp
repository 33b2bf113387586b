/// The two clocks of a timed loop.
#pragma once

#include <cstdint>

namespace wirelab {

/// How long a loop took.
struct Lap {
    /// By a monotonic clock.
    std::uint64_t wall_ns = 0;
    /// Processor time of this thread. The CPU clock is read first and last, so that its cost is not in `wall_ns`.
    std::uint64_t cpu_ns = 0;

    Lap& operator+=(const Lap& other) {
        wall_ns += other.wall_ns;
        cpu_ns += other.cpu_ns;
        return *this;
    }
};

/// A running clock.
class Clock {
public:
    static Clock start();
    Lap stop() const;

private:
    std::uint64_t cpu_ns_ = 0;
    std::uint64_t wall_ns_ = 0;
};

}  // namespace wirelab
