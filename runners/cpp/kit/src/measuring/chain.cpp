#include "wirelab/measuring/chain.hpp"

#ifndef _WIN32
#include <sys/resource.h>
#endif

namespace wirelab {

std::optional<std::uint64_t> involuntary_switches() {
#ifdef _WIN32
    return std::nullopt;
#else
#ifdef RUSAGE_THREAD
    constexpr auto whose = RUSAGE_THREAD;
#else
    constexpr auto whose = RUSAGE_SELF;
#endif
    rusage usage{};
    if (getrusage(whose, &usage) != 0) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(usage.ru_nivcsw);
#endif
}

std::vector<Link> chain(Workload& workload, Canaries& canaries, std::uint64_t repetitions, std::uint64_t samples) {
    std::vector<Link> links;
    links.reserve(samples);
    canaries.run();
    auto before = canaries.run();
    for (std::uint64_t index = 0; index < samples; ++index) {
        const auto first = involuntary_switches();
        const auto lap = workload.repeat(repetitions);
        const auto last = involuntary_switches();
        const auto after = canaries.run();
        links.push_back({.before = before,
                         .after = after,
                         .lap = lap,
                         .involuntary_switches = first && last ? std::optional(*last - *first) : std::nullopt});
        before = after;
    }
    return links;
}

}  // namespace wirelab
