#include "wirelab/measuring/allocation.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>

#include "wirelab/measuring/opaque.hpp"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using wirelab::count_allocations;

#if defined(__GLIBC__) && !defined(WIRELAB_SANITIZED)
TEST_CASE("allocations by new and by malloc are counted with their bytes") {
    const auto counted = count_allocations([] {
        auto numbers = std::make_unique<int[]>(100);
        wirelab::opaque(numbers);
        void* block = std::malloc(24);
        wirelab::opaque(block);
        std::free(block);
    });
    REQUIRE(counted);
    CHECK(counted->allocations == 2);
    CHECK(counted->allocated_bytes == 100 * sizeof(int) + 24);
}

TEST_CASE("a reallocation counts the bytes by which the block grows") {
    void* block = std::malloc(24);
    const auto counted = count_allocations([&] {
        wirelab::opaque(block);
        block = std::realloc(block, 1024);
        wirelab::opaque(block);
    });
    std::free(block);
    REQUIRE(counted);
    CHECK(counted->allocations == 1);
    CHECK(counted->allocated_bytes == 1000);
}

TEST_CASE("each count begins anew, and what lies outside is not in it") {
    auto outside = std::make_unique<int>(1);
    wirelab::opaque(outside);
    const auto counted = count_allocations([] {});
    REQUIRE(counted);
    CHECK(counted->allocations == 0);
    CHECK(counted->allocated_bytes == 0);
}
#else
TEST_CASE("where allocations cannot be counted none are reported") {
    CHECK_FALSE(count_allocations([] {}));
}
#endif

#ifndef _WIN32
/// How a process ends that has a budget of 1 MiB and does this.
template <class Work>
int exit_code_on_budget(Work work) {
    const auto child = fork();
    if (child == 0) {
        wirelab::allocation::limit(1 << 20, "", 65);
        work();
        std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void allocate(std::size_t bytes) {
    auto block = std::make_unique<char[]>(bytes);
    wirelab::opaque(block);
}

TEST_CASE("an allocation beyond the budget ends the process with its exit code") {
    CHECK(exit_code_on_budget([] { allocate(2 << 20); }) == 65);
}

TEST_CASE("what is freed may be allocated again") {
    CHECK(exit_code_on_budget([] {
              for (int times = 0; times < 100; ++times) {
                  allocate(512 << 10);
              }
          }) == 0);
}
#endif

}  // namespace
