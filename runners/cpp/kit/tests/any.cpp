/// The notation of values without a message type.
#include "wirelab/any.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace wirelab::any;

TEST_CASE("a line comes back") {
    for (const std::string line : {
             R"([null,true,false,"é\n\"",[]])",
             R"({"map":[[{"int":"1"},{"map":[]}],["a",[[]]],["a",{"float":"8000000000000000"}]]})",
             R"([{"ext":[-128,""]},{"bytes":"00ff"},{"ext":[127,"7f"]}])",
             R"([{"int":"-9223372036854775808"},{"int":"18446744073709551615"}])",
         }) {
        CHECK(write(read(line)) == line + "\n");
    }
}

TEST_CASE("a value is its items in order") {
    const Value wanted{Map{1}, List{2}, std::string("a"), -1.5, nullptr};
    CHECK(read(R"({"map":[[["a",{"float":"bff8000000000000"}],null]]})") == wanted);
}

TEST_CASE("every NaN is one, and a text that is no UTF-8 is its bytes") {
    CHECK(write({-std::numeric_limits<double>::quiet_NaN()}) == "{\"float\":\"7ff8000000000000\"}\n");
    CHECK(write({std::string("a\xff")}) == "{\"badtext\":\"61ff\"}\n");
    CHECK(write({std::string("\xed\xa0\x80")}) == "{\"badtext\":\"eda080\"}\n");
}

TEST_CASE("what is no notation is refused") {
    for (const auto* line : {"",
                             "1",
                             "[1]",
                             "nul",
                             "[",
                             "[null",
                             "null null",
                             "{}",
                             R"({"int":1})",
                             R"({"int":"x"})",
                             R"({"int":"+1"})",
                             R"({"int":"18446744073709551616"})",
                             R"({"float":"00"})",
                             R"({"float":"7ff800000000000g"})",
                             R"({"bytes":"0"})",
                             R"({"bytes":"é"})",
                             R"({"bytes":"-1"})",
                             R"({"map":[["a"]]})",
                             R"({"map":[["a",null,null]]})",
                             R"({"map":{"a":null}})",
                             R"({"ext":[128,""]})",
                             R"({"ext":["1",""]})",
                             R"({"tag":[1,null]})",
                             R"({"int":"1","float":"0000000000000000"})",
                             "\"\xff\""}) {
        CHECK_THROWS_AS(read(line), std::exception);
    }
}

TEST_CASE("depth ends nothing") {
    constexpr std::size_t depth = 100'000;
    Value value(depth, List{1});
    value.emplace_back(nullptr);
    const auto line = write(value);
    CHECK(line.size() == 2 * depth + 5);
    CHECK(read(line) == value);
}

}  // namespace
