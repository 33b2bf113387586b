#include "wirelab/canonical.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "wirelab/messages.hpp"

namespace {

using namespace wirelab;
using namespace wirelab::types;

template <class T>
std::string again(std::string_view json) {
    return canonical::write(canonical::read<T>(json));
}

template <class T>
void refuses(std::string_view json, const char* why) {
    CHECK_THROWS_WITH_AS(canonical::read<T>(json), doctest::Contains(why), Refused);
}

TEST_CASE("integers come back at the ends of their types") {
    CHECK(again<ArrayU64>("[0,18446744073709551615,9223372036854775808]") ==
          "[0,18446744073709551615,9223372036854775808]\n");
    CHECK(again<ArrayU32>("[0,4294967295]") == "[0,4294967295]\n");
    CHECK(again<ArrayU16>("[0,65535]") == "[0,65535]\n");
}

TEST_CASE("integers beyond their type are refused, never wrapped") {
    refuses<ArrayU64>("[18446744073709551616]", "no integer of its type");
    refuses<ArrayU32>("[4294967296]", "4294967296 is too large");
    refuses<ArrayU16>("[65536]", "65536 is too large");
    refuses<ArrayU16>("[-1]", "-1 is too large");
    refuses<ArrayU16>("[1.5]", "1.5 is no integer");
}

TEST_CASE("doubles are their shortest decimals") {
    CHECK(again<ArrayF64>("[0.1,5e-324,1.7976931348623157e308,0.30000000000000004,123456789.125]") ==
          "[0.1,5e-324,1.7976931348623157e+308,0.30000000000000004,123456789.125]\n");
    CHECK(again<ArrayF64>("[9007199254740993,1e22,18446744073709551615]") ==
          "[9007199254740992.0,1e+22,18446744073709551616.0]\n");
}

TEST_CASE("floats are read from their own digits and not by way of a double") {
    // A hair above the middle of two floats, and as a double that middle itself, which would be rounded down to even.
    const auto values = canonical::read<ArrayF32>("[1.00000005960464477540]");
    CHECK(values[0] == 1.00000011920928955078125f);
    CHECK(again<ArrayF32>("[0.1,1e-45,3.4028235e38,16777216]") == "[0.1,1e-45,3.4028235e+38,16777216.0]\n");
    refuses<ArrayF32>("[1e39]", "1e39 is too large");
    refuses<ArrayF64>("[1e309]", "number overflow");
}

TEST_CASE("the sign of zero is kept however it is written") {
    for (const auto* text : {"[-0.0]", "[-0]", "[-0e5]"}) {
        CHECK(again<ArrayF64>(text) == "[-0.0]\n");
        CHECK(again<ArrayF32>(text) == "[-0.0]\n");
    }
    CHECK(again<ArrayF64>("[0]") == "[0.0]\n");
}

TEST_CASE("what is no number is written as null and not read") {
    CHECK(canonical::write(ArrayF64{std::numeric_limits<double>::quiet_NaN()}) == "[null]\n");
    CHECK(canonical::write(ArrayF32{std::numeric_limits<float>::infinity()}) == "[null]\n");
    refuses<ArrayF64>("[null]", "null stands where the message has another type");
}

constexpr std::string_view nested =
    R"({"fixed_object":{"int_array":[-2147483648,2147483647],"float_array":[0.5],"double_array":[]},)"
    R"("fixed_name_object":{"name0":"a","name1":"\"\\","name2":"\u0001\u001f","name3":"é","name4":""},)"
    R"("another_object":{"string":"","another_string":"","boolean":true,)"
    R"("nested_object":{"v3s":[[0.1,0.2,0.3]],"id":"x"}},)"
    R"("string_array":["y",""],"string":"z","number":-1.5,"boolean":false,"another_bool":true})";

std::string changed(std::string_view from, std::string_view to) {
    std::string json(nested);
    return json.replace(json.find(from), from.size(), to);
}

TEST_CASE("a message comes back with every field and its text") {
    CHECK(again<NestedObject>(nested) == std::string(nested) + "\n");
    const auto value = canonical::read<NestedObject>(nested);
    CHECK(value.fixed_object.int_array == std::vector<std::int32_t>{-2147483648, 2147483647});
    CHECK(value.fixed_name_object.name1 == "\"\\");
    CHECK(value.fixed_name_object.name2 == "\x01\x1f");
    CHECK(value.fixed_name_object.name3 == "\xc3\xa9");
    CHECK(value.another_object.nested_object.v3s == std::vector<std::array<double, 3>>{{0.1, 0.2, 0.3}});
}

TEST_CASE("text that is no UTF-8 is written as it is and refused when it is read") {
    NestedObject value{};
    value.string = "\xff";
    CHECK(canonical::write(value).contains("\"string\":\"\xff\""));
    refuses<NestedObject>(changed("\"z\"", "\"\xff\""), "ill-formed UTF-8");
}

TEST_CASE("another message is refused with what is wrong") {
    refuses<NestedObject>("", "canonical JSON: ");
    refuses<NestedObject>("[]", "a list stands where the message has another type");
    refuses<NestedObject>("{}", "fixed_object is missing");
    refuses<NestedObject>(changed("\"id\"", "\"ix\""), "the message has no ix");
    refuses<NestedObject>(changed("\"name1\"", "\"name0\""), "name0 stands there twice");
    refuses<NestedObject>(changed("[0.1,0.2,0.3]", "[0.1,0.2]"), "2 elements instead of 3");
    refuses<NestedObject>(changed("[0.1,0.2,0.3]", "[0.1,0.2,0.3,4]"), "more than 3 elements");
    refuses<NestedObject>(changed("false", "0"), "a number stands where");
    refuses<NestedObject>(changed("\"z\"", "true"), "true or false stands where");
    refuses<NestedObject>(changed("-1.5", "\"-1.5\""), "a string stands where");
    refuses<ArrayF64>("[[1]]", "a list stands where");
    refuses<ArrayF64>("[{}]", "an object stands where");
    refuses<ArrayF64>("[1]x", "parse error");
    refuses<ArrayF64>("[1", "parse error");
}

}  // namespace
