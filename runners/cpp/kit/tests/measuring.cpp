/// Checksum and clock.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "wirelab/measuring/checksum.hpp"
#include "wirelab/measuring/clock.hpp"

namespace {

using wirelab::checksum;

TEST_CASE("the checksum is CRC-32 as zlib has it") {
    // The check value of the CRC catalogue, RFC 3720 B.4's lengths by zlib.crc32, and lengths around a word of eight.
    CHECK(checksum("") == "crc32:00000000");
    CHECK(checksum("a") == "crc32:e8b7be43");
    CHECK(checksum("1234567") == "crc32:5003699f");
    CHECK(checksum("12345678") == "crc32:9ae0daaf");
    CHECK(checksum("123456789") == "crc32:cbf43926");
    CHECK(checksum("The quick brown fox jumps over the lazy dog") == "crc32:414fa339");
    CHECK(checksum(std::string(32, '\0')) == "crc32:190a55ad");
    CHECK(checksum(std::string(32, '\xff')) == "crc32:ff6cab0b");
}

TEST_CASE("the wall clock goes on while the thread sleeps and its processor time does not") {
    constexpr auto pause = std::chrono::milliseconds(20);
    const auto clock = wirelab::Clock::start();
    std::this_thread::sleep_for(pause);
    const auto lap = clock.stop();
    CHECK(lap.wall_ns >= std::chrono::nanoseconds(pause).count());
    CHECK(lap.cpu_ns < lap.wall_ns);
}

TEST_CASE("processor time grows with work") {
    const auto clock = wirelab::Clock::start();
    while (clock.stop().cpu_ns == 0) {
    }
    const auto first = clock.stop();
    CHECK(clock.stop().cpu_ns >= first.cpu_ns);
    CHECK(first.wall_ns > 0);
}

TEST_CASE("laps add up") {
    wirelab::Lap lap{.wall_ns = 1, .cpu_ns = 2};
    lap += {.wall_ns = 10, .cpu_ns = 20};
    CHECK(lap.wall_ns == 11);
    CHECK(lap.cpu_ns == 22);
}

}  // namespace
