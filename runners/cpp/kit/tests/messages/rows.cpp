#include "wirelab/rows.hpp"

#include <doctest/doctest.h>

#include "wirelab/codec.hpp"
#include "wirelab/measuring/workload.hpp"

namespace {

using namespace wirelab;
using Views = std::vector<std::string_view>;

TEST_CASE("a line is a message where there are rows, and else the whole text") {
    CHECK(rows::lines("a\nb\n", true) == Views{"a", "b"});
    CHECK(rows::lines("a\n\nb", true) == Views{"a", "", "b"});
    CHECK(rows::lines("", true).empty());
    CHECK(rows::lines("a\nb\n", false) == Views{"a\nb\n"});
}

TEST_CASE("a message stands behind its length as a little-endian u32") {
    std::string framed;
    rows::append(framed, "x", true);
    rows::append(framed, "", true);
    CHECK(framed == std::string("\1\0\0\0x\0\0\0\0", 9));
    CHECK(rows::messages(framed, true) == Views{"x", ""});
    CHECK(rows::messages("x", false) == Views{"x"});
    std::string plain;
    rows::append(plain, "x", false);
    CHECK(plain == "x");
}

TEST_CASE("a frame that claims more than follows it is refused") {
    for (const auto frame : {std::string_view("\2\0\0\0x", 5), std::string_view("\1\0\0", 3)}) {
        CHECK_THROWS_WITH_AS(rows::messages(frame, true), doctest::Contains("more bytes than follow"), Refused);
    }
}

struct Counting {
    using Input = std::string;
    static constexpr bool makes_bytes = true;
    std::size_t seen = 0;

    void run(const Input& input) { seen += input.size(); }
    std::string product(const Input& input) { return input + std::to_string(seen); }
};

TEST_CASE("a repetition of rows is a pass over all of them, and its product has a frame a row") {
    Passes<Counting> passes({"ab", "c"}, 3);
    passes.repeat(2);
    CHECK(passes.encoded_bytes == 3);
    CHECK(passes.product() == std::string("\3\0\0\0ab6\2\0\0\0c6", 13));
}

}  // namespace
