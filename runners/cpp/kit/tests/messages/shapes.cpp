/// Canonical JSON of every shape that a type may have, as the generated tables name it.
#include <doctest/doctest.h>

#include "canonical_form.hpp"

namespace {

using namespace wirelab;
using namespace std::string_view_literals;

enum class Level : std::uint8_t { Low = 1, High = 200 };

struct Shapes {
    std::optional<std::string> option;
    std::map<std::string, std::int32_t> map;
    std::tuple<std::uint8_t, bool> tuple;
    std::array<float, 2> array{};
    Level level{};
    unsigned __int128 wide{};
    std::vector<__int128> wides;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint8_t> octets;
    std::vector<bool> truths;
    std::vector<std::optional<Level>> levels;
    std::optional<std::map<std::string, std::vector<std::vector<std::uint8_t>>>> blobs;
};

}  // namespace

template <>
inline constexpr std::array wirelab::canonical::variants<Level>{
    std::pair{"a \"low\" one"sv, Level::Low},
    std::pair{"High"sv, Level::High},
};
template <>
inline constexpr std::tuple wirelab::canonical::fields<Shapes>{
    Field{"option"sv, &Shapes::option},
    Field{"map"sv, &Shapes::map},
    Field{"tuple"sv, &Shapes::tuple},
    Field{"array"sv, &Shapes::array},
    Field{"level"sv, &Shapes::level},
    Field{"wide"sv, &Shapes::wide},
    Field{"wides"sv, &Shapes::wides},
    Field<Shapes, Base64>{"bytes"sv, &Shapes::bytes},
    Field{"octets"sv, &Shapes::octets},
    Field{"truths"sv, &Shapes::truths},
    Field{"levels"sv, &Shapes::levels},
    Field<Shapes, std::optional<std::map<std::string, std::vector<Base64>>>>{"\"\0\n*/"sv, &Shapes::blobs},
};

namespace {

constexpr std::string_view whole =
    R"({"option":"","map":{"":-1,"b":2},"tuple":[255,true],"array":[0.5,-0.0],"level":"a \"low\" one",)"
    R"("wide":"340282366920938463463374607431768211455","wides":["-170141183460469231731687303715884105728","0"],)"
    R"("bytes":"AAH/","octets":[0,1,255],"truths":[true,false],"levels":[null,"High"],)"
    R"("\"\u0000\u000a*/":{"x":["","AA==","AAE="]}})";

std::string changed(std::string_view from, std::string_view to) {
    std::string json(whole);
    return json.replace(json.find(from), from.size(), to);
}

void refuses(std::string_view json, const char* why) {
    CHECK_THROWS_WITH_AS(canonical::read<Shapes>(json), doctest::Contains(why), Refused);
}

TEST_CASE("each shape comes back as it was") {
    CHECK(canonical::write(canonical::read<Shapes>(whole)) == std::string(whole) + "\n");
    const auto value = canonical::read<Shapes>(whole);
    CHECK(value.option == std::optional<std::string>(""));
    CHECK(value.level == Level::Low);
    CHECK(value.bytes == std::vector<std::uint8_t>{0, 1, 255});
    CHECK(value.levels[1] == Level::High);
}

TEST_CASE("nothing stands as null, and its field stands all the same") {
    CHECK(canonical::write(canonical::read<Shapes>(changed(R"("option":"")", R"("option":null)")))
              .starts_with(R"({"option":null,)"));
    refuses(changed(R"("option":"",)", ""), "option is missing");
    refuses(changed("[0.5,-0.0]", "null"), "null stands where");
}

TEST_CASE("a shape with another value is refused with what is wrong") {
    refuses(changed("\"AAH/\"", "[0,1]"), "a list stands where");
    refuses(changed("AAH/", "AAH"), "no base64");
    refuses(changed("AAH/", "AAH!"), "no base64");
    refuses(changed("AAE=", "AAF="), "no base64");
    refuses(changed("\"a \\\"low\\\" one\"", "\"a\""), "a is no value of its enumeration");
    refuses(changed("\"a \\\"low\\\" one\"", "1"), "a number stands where");
    refuses(changed("340282366920938463463374607431768211455", "340282366920938463463374607431768211456"),
            "no integer of its type");
    refuses(changed("\"0\"]", "\"0x\"]"), "no integer of its type");
    refuses(changed("[255,true]", "[255]"), "1 elements instead of 2");
    refuses(changed("[255,true]", "[255,true,1]"), "more than 2 elements");
    refuses(changed("[255,true]", "[256,true]"), "256 is too large");
    refuses(changed("\"b\":2", "\"\":2"), "stands there twice");
    refuses(changed("[true,false]", "[true,0]"), "a number stands where");
}

TEST_CASE("a number that is no variant is not written") {
    auto value = canonical::read<Shapes>(whole);
    value.level = static_cast<Level>(7);
    CHECK_THROWS_WITH_AS(canonical::write(value), doctest::Contains("no value of its enumeration"), Refused);
}

}  // namespace
