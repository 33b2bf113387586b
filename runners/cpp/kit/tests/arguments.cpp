#include "wirelab/protocol/arguments.hpp"

#include <doctest/doctest.h>

namespace {

using namespace wirelab::arguments;

Command parsed(std::vector<std::string> words) {
    words.insert(words.begin(), "codec");
    std::vector<char*> pointers;
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    return parse(static_cast<int>(pointers.size()), pointers.data());
}

std::vector<std::string> measure_words() {
    return {"measure",
            "--scenario",
            "s",
            "--operation",
            "serialize",
            "--condition",
            "buffer=reused",
            "--input",
            "i",
            "--work",
            "w",
            "--out",
            "o",
            "--warmup",
            "0",
            "--samples",
            "2",
            "--repetitions",
            "18446744073709551615"};
}

TEST_CASE("each command has its own form") {
    CHECK(std::holds_alternative<Describe>(parsed({"describe"})));
    CHECK(std::get<Encode>(parsed({"encode", "--scenario", "s"})).scenario == "s");
    CHECK_FALSE(std::get<Decode>(parsed({"decode", "--scenario", "s"})).batch);
    CHECK(std::get<Decode>(parsed({"decode", "--batch", "--scenario", "s"})).batch);
    CHECK_FALSE(std::get<Encode>(parsed({"encode", "--type", "any"})).scenario);
    CHECK_FALSE(std::get<Decode>(parsed({"decode", "--type", "any", "--batch"})).scenario);
}

TEST_CASE("measure takes 64-bit numbers and conditions in their order") {
    auto words = measure_words();
    words.insert(words.end(), {"--condition", "api=a=b"});
    const auto measure = std::get<Measure>(parsed(words));
    CHECK(measure.repetitions == 18446744073709551615u);
    CHECK(measure.warmup == 0);
    CHECK(measure.samples == 2);
    CHECK(measure.input == "i");
    CHECK(measure.work == "w");
    CHECK(measure.out == "o");
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(measure.conditions == Pairs{{"buffer", "reused"}, {"api", "a=b"}});
}

TEST_CASE("offset and copy are 0 unless they are given") {
    auto words = measure_words();
    CHECK(std::get<Measure>(parsed(words)).offset == 0);
    CHECK(std::get<Measure>(parsed(words)).copy_canary == 0);
    words.insert(words.end(), {"--offset", "4080", "--copy-canary", "8388608"});
    CHECK(std::get<Measure>(parsed(words)).offset == 4080);
    CHECK(std::get<Measure>(parsed(words)).copy_canary == 8388608);
}

TEST_CASE("canaries run for a time, with a copy if one is asked for") {
    const auto canary = std::get<Canary>(parsed({"canary", "--seconds", "0.5"}));
    CHECK(canary.seconds == 0.5);
    CHECK(canary.copy == 0);
    CHECK(std::get<Canary>(parsed({"canary", "--seconds", "1", "--copy", "4096"})).copy == 4096);
}

TEST_CASE("what is wrong ends with 64, help with 0") {
    CHECK(std::get<Done>(parsed({"--help"})).exit_code == 0);
    auto words = measure_words();
    words[6] = "buffer";
    CHECK(std::get<Done>(parsed(words)).exit_code == 64);
    for (const auto& wrong : std::vector<std::vector<std::string>>{{},
                                                                   {"x"},
                                                                   {"encode"},
                                                                   {"encode", "--type", "x"},
                                                                   {"encode", "--type", "any", "--scenario", "s"},
                                                                   {"describe", "x"},
                                                                   {"canary"},
                                                                   {"canary", "--seconds", "-1"}}) {
        CHECK(std::get<Done>(parsed(wrong)).exit_code == 64);
    }
}

}  // namespace
