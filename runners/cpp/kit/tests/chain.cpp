/// Canaries, and the chain of loops between them.
#include "wirelab/measuring/chain.hpp"

#include <doctest/doctest.h>

namespace {

using namespace wirelab;

/// Gives each loop a number as its time, and remembers how many repetitions were asked of it.
class Numbered final : public Workload {
public:
    Lap repeat(std::uint64_t repetitions) override {
        asked.push_back(repetitions);
        return {.wall_ns = asked.size(), .cpu_ns = 10 * asked.size()};
    }

    std::optional<Allocations> allocations() const override { return std::nullopt; }

    std::string product() override {
        made = true;
        return {};
    }

    std::vector<std::uint64_t> asked{};
    bool made = false;
};

TEST_CASE("a chain has as many loops as samples, in their order") {
    Numbered workload;
    Canaries canaries(0);
    const auto links = chain(workload, canaries, 7, 3);
    CHECK(workload.asked == std::vector<std::uint64_t>{7, 7, 7});
    REQUIRE(links.size() == 3);
    for (std::size_t index = 0; index < links.size(); ++index) {
        CHECK(links[index].lap.wall_ns == index + 1);
        CHECK(links[index].lap.cpu_ns == 10 * (index + 1));
    }
}

TEST_CASE("two loops share the canary between them") {
    Numbered workload;
    Canaries canaries(64);
    const auto links = chain(workload, canaries, 1, 3);
    for (std::size_t index = 1; index < links.size(); ++index) {
        CHECK(links[index].before.kernel_ns == links[index - 1].after.kernel_ns);
        CHECK(links[index].before.copy_ns == links[index - 1].after.copy_ns);
    }
}

TEST_CASE("the chain is the same without repetitions") {
    Numbered workload;
    Canaries canaries(0);
    const auto links = chain(workload, canaries, 0, 2);
    CHECK(workload.asked == std::vector<std::uint64_t>{0, 0});
    CHECK(links.back().after.kernel_ns > 0);
}

TEST_CASE("the product is left to what comes after the chain") {
    Numbered workload;
    Canaries canaries(0);
    chain(workload, canaries, 1, 2);
    CHECK_FALSE(workload.made);
}

TEST_CASE("without samples there are no loops") {
    Numbered workload;
    Canaries canaries(0);
    CHECK(chain(workload, canaries, 1, 0).empty());
    CHECK(workload.asked.empty());
}

TEST_CASE("memory is copied only where it is asked for") {
    CHECK_FALSE(Canaries(0).run().copy_ns);
    CHECK(Canaries(1 << 20).run().copy_ns);
}

TEST_CASE("the kernel takes a time, and has the name of this processor's") {
    CHECK(canary::time_ns() > 0);
#if defined(__x86_64__)
    CHECK(canary::name() == "x86-64/1");
#elif defined(__aarch64__)
    CHECK(canary::name() == "aarch64/1");
#else
    CHECK(canary::name() == "portable/1");
#endif
}

TEST_CASE("involuntary switches are counted where the system counts them, and never fall") {
    const auto before = involuntary_switches();
#ifdef _WIN32
    CHECK_FALSE(before);
#else
    REQUIRE(before);
    CHECK(*involuntary_switches() >= *before);
#endif
}

}  // namespace
