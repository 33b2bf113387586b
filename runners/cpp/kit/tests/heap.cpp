/// The offset of the heap: what is allocated after it lies behind what was allocated before, by so many bytes.
#include "wirelab/measuring/heap.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

/// The address that a block of so many bytes has now; it is free again.
std::uintptr_t address(std::size_t bytes) {
    void* block = std::malloc(bytes);
    const auto number = reinterpret_cast<std::uintptr_t>(block);
    std::free(block);
    return number;
}

TEST_CASE("a shift takes what it is told to, however much that is") {
    for (const std::size_t bytes : {0, 16, 4080, 1 << 20}) {
        wirelab::heap::shift(bytes);
        CHECK(address(64) != 0);
    }
}

#ifdef __GLIBC__
TEST_CASE("gaps are filled, so that blocks of every size lie behind a shift") {
    const std::vector<std::size_t> sizes{24, 200, 1000, 5000, 40'000};
    for (const auto size : sizes) {
        std::vector<void*> blocks(20);
        for (auto& block : blocks) {
            block = std::malloc(size);
        }
        wirelab::heap::shift(0);
        const auto end = address(64);
        for (std::size_t index = 0; index < blocks.size(); index += 2) {
            std::free(blocks[index]);
        }
        REQUIRE(address(size) < end);  // in a gap
        wirelab::heap::shift(0);
        CHECK(address(size) > end);
        for (std::size_t index = 1; index < blocks.size(); index += 2) {
            std::free(blocks[index]);
        }
    }
}

TEST_CASE("a shift moves what follows by just its bytes") {
    const auto after = [](std::size_t bytes) {
        wirelab::heap::shift(bytes);
        return address(1000);
    };
    after(0);
    const auto first = after(0), second = after(0), third = after(1040), fourth = after(4080);
    const auto own = second - first;
    CHECK(third - second == own + 1040);
    CHECK(fourth - third == own + 4080);
}
#endif

}  // namespace
