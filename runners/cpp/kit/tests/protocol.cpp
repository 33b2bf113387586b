/// Failures, the selection of a cell, what a runner reports, and how it ends.
#include <doctest/doctest.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "wirelab/protocol/cell.hpp"
#include "wirelab/protocol/failure.hpp"
#include "wirelab/protocol/program.hpp"
#include "wirelab/protocol/report.hpp"

namespace {

using namespace wirelab;

std::unique_ptr<Workload> nothing(std::string_view, bool) { return nullptr; }

std::vector<Cell> cells() {
    return {
        {"s", "serialize", {{"buffer", "reused"}, {"api", "derive"}}, nullptr},
        {"s", "serialize", {{"buffer", "fresh"}, {"api", "derive"}}, nullptr},
        {"s", "deserialize", {{"output", "owned"}}, nothing},
    };
}

TEST_CASE("each failure has the exit code of sysexits.h and says what to do") {
    CHECK(Failure::usage("x").exit_code() == 64);
    CHECK(Failure::malformed("decode", "s", "x").exit_code() == 65);
    CHECK(std::string(Failure::malformed("decode", "s", "a\nb").what()) == "decode s: a b");
    CHECK(Failure::memory("decode", "s", "x").exit_code() == 71);
    CHECK(std::string(Failure::memory("decode", "s", "a\nb").what()) == "decode s: a b");
    CHECK(Failure::input("p", "x").exit_code() == 66);
    CHECK(std::string(Failure::input("p", "x").what()).contains("give --input a file"));
    CHECK(Failure::internal("x").exit_code() == 70);
    CHECK(Failure::io("open o", "x").exit_code() == 74);
    CHECK(std::string(Failure::io("open o", "x").what()).starts_with("cannot open o: x; check free disk space"));
}

TEST_CASE("what is quoted becomes one line of plain text") {
    CHECK(one_line("  a\r\n\tb\x1b[0m\x7f"
                   "c\xff") == "a b [0m c");
    CHECK(one_line("\n") == "");
}

TEST_CASE("a cell is selected by as many conditions as tell it from others") {
    const auto all = cells();
    CHECK(&select(all, "s", "deserialize", {}) == &all[2]);
    CHECK(&select(all, "s", "serialize", {{"buffer", "fresh"}}) == &all[1]);
    CHECK_THROWS_WITH_AS(select(all, "s", "serialize", {}), doctest::Contains("2 cells have all of the conditions"),
                         Failure);
    CHECK_THROWS_WITH_AS(select(all, "s", "serialize", {{"buffer", "x"}}), doctest::Contains("no cell has all of the"),
                         Failure);
    CHECK_THROWS_WITH_AS(select(all, "t", "serialize", {}),
                         doctest::Contains("--scenario s --operation deserialize --condition output=owned"), Failure);
}

TEST_CASE("a sample is one line, with allocations where they are counted") {
    const Sample sample{.link = {.before = {.kernel_ns = 7, .copy_ns = 8},
                                 .after = {.kernel_ns = 9, .copy_ns = 10},
                                 .lap = {.wall_ns = 18446744073709551615u, .cpu_ns = 2},
                                 .involuntary_switches = 11},
                        .repetitions = 3,
                        .encoded_bytes = 4,
                        .checksum = "crc32:00000000",
                        .allocations = 5,
                        .allocated_bytes = 6};
    CHECK(sample_line(sample) == R"({"wall_ns":18446744073709551615,"cpu_ns":2,"repetitions":3,"encoded_bytes":4,)"
                                 R"("checksum":"crc32:00000000","canary_before_ns":7,"canary_after_ns":9,)"
                                 R"("copy_before_ns":8,"copy_after_ns":10,"involuntary_switches":11,)"
                                 R"("allocations":5,"allocated_bytes":6})"
                                 "\n");
    auto uncounted = sample;
    uncounted.allocations = uncounted.allocated_bytes = std::nullopt;
    CHECK_FALSE(sample_line(uncounted).contains("alloc"));
    auto without = sample;
    without.link.before.copy_ns = without.link.after.copy_ns = without.link.involuntary_switches = std::nullopt;
    CHECK_FALSE(sample_line(without).contains("copy"));
    CHECK_FALSE(sample_line(without).contains("switches"));
}

TEST_CASE("canaries are one line, with copies where they are asked for") {
    const auto name = std::string(canary::name());
    CHECK(canary_line({{.kernel_ns = 1}, {.kernel_ns = 2}}) ==
          R"({"canary":")" + name + R"(","canary_ns":[1,2]})" + "\n");
    CHECK(canary_line({{.kernel_ns = 1, .copy_ns = 3}}) ==
          R"({"canary":")" + name + R"(","canary_ns":[1],"copy_ns":[3]})" + "\n");
}

TEST_CASE("a codec describes its library and a control its role") {
    const auto codec = describe({.codec = "cpp/x", .format = "X", .library = "x", .version = "1.0"}, cells());
    CHECK(codec.starts_with(
        R"({"protocol":1,"codec":"cpp/x","format":"X","library":"x","version":"1.0","language":"cpp",)"));
    CHECK(codec.contains(R"("control":false,"role":null,"self_describing":false,"any":[],"batch":true,"canary":")" +
                         std::string(canary::name()) +
                         R"(","identical":{},"cannot":{},"instead":{},"cells":[{"scenario":"s",)"));
    CHECK(describe({.codec = "cpp/x", .identical = {{"serialize", "cpp/y"}}}, {})
              .contains(R"("identical":{"serialize":"cpp/y"})"));
    CHECK(describe({.codec = "cpp/x", .cannot = {{"u128", "why"}}, .instead = {{"map", "a list"}}}, {})
              .contains(R"("cannot":{"u128":"why"},"instead":{"map":"a list"})"));
    CHECK(describe({.codec = "cpp/x", .any = true}, {}).contains(R"("any":["decode","encode"],"batch")"));
    CHECK(codec.ends_with("}\n"));
    CHECK(describe({.codec = "cpp/x", .role = Role::Copy}, {}).contains(R"("library":null,"version":null,)"));
    CHECK(describe({.codec = "cpp/x", .role = Role::Copy}, {}).contains(R"("control":true,"role":"copy",)"));
    CHECK(describe({.codec = "cpp/x", .role = Role::Nothing}, {}).contains(R"("control":true,"role":"nothing",)"));
}

TEST_CASE("a version is three numbers") { CHECK(version_text(1, 20, 0) == "1.20.0"); }

int run(const Program& program, std::vector<std::string> words) {
    words.insert(words.begin(), "codec");
    std::vector<char*> pointers;
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    return program.run(static_cast<int>(pointers.size()), pointers.data());
}

#ifndef _WIN32
std::string throws_bad_alloc(std::string_view, bool) { throw std::bad_alloc(); }
std::string throws_error(std::string_view, bool) { throw std::runtime_error("x"); }

TEST_CASE("memory that is not there is no refusal") {
    const Program program{
        .about = {.codec = "cpp/x"},
        .cells = {},
        .transcoders = {{"memory", throws_bad_alloc, throws_bad_alloc}, {"refusal", throws_error, throws_error}}};
    const std::FILE* nothing = std::freopen("/dev/null", "r", stdin);
    REQUIRE(nothing);
    CHECK(run(program, {"encode", "--scenario", "memory"}) == 71);
    CHECK(run(program, {"encode", "--scenario", "refusal"}) == 65);
}
#endif

TEST_CASE("a program ends with the code of what went wrong") {
    const Program program{.about = {.codec = "cpp/x"}, .cells = cells(), .transcoders = {}};
    CHECK(run(program, {"describe"}) == 0);
    CHECK(run(program, {"nonsense"}) == 64);
    CHECK(run(program, {"encode", "--scenario", "s"}) == 64);
    CHECK(run(program, {"decode", "--type", "any"}) == 64);
    std::vector<std::string> words{"measure",       "--scenario", "s",      "--operation", "deserialize",
                                   "--input",       "/none",      "--work", "/none",       "--out",
                                   "/none/o",       "--warmup",   "0",      "--samples",   "1",
                                   "--repetitions", "1"};
    CHECK(run(program, words) == 64);  // no folder to work in
    words[8] = ".";
    CHECK(run(program, words) == 66);  // no input
    words[4] = "serialize";
    words.insert(words.end(), {"--condition", "buffer=fresh"});
    CHECK(run(program, words) == 64);  // a scenario that is only exchanged
    CHECK(run(program, {"canary", "--seconds", "0"}) == 0);
}

}  // namespace
