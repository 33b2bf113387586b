#include "wirelab/measuring/clock.hpp"

#include <chrono>

#ifdef _WIN32
#include <windows.h>
#else
#include <ctime>
#endif

namespace wirelab {
namespace {

std::uint64_t wall_now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

std::uint64_t cpu_now() {
#ifdef _WIN32
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user)) {
        return 0;
    }
    const auto ticks = [](const FILETIME& time) {
        return (std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime;
    };
    return (ticks(kernel) + ticks(user)) * 100;  // of 100 ns each
#else
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
#endif
}

}  // namespace

Clock Clock::start() {
    Clock clock;
    clock.cpu_ns_ = cpu_now();
    clock.wall_ns_ = wall_now();
    return clock;
}

Lap Clock::stop() const {
    const auto wall = wall_now();
    return {.wall_ns = wall - wall_ns_, .cpu_ns = cpu_now() - cpu_ns_};
}

}  // namespace wirelab
