/// Which message types a codec takes.
#include <doctest/doctest.h>

#include <array>

#include "wirelab/codec.hpp"

namespace {

struct Wide {};
struct Narrow {};

constexpr std::array<std::string_view, 2> wide_features{"map", "u128"};

struct Limited {
    static constexpr wirelab::Limit cannot[] = {{"u128", "it has no such integers"}};
};
struct Unlimited {};

}  // namespace

template <>
inline constexpr std::span<const std::string_view> wirelab::features_of<Wide> = wide_features;

namespace {

TEST_CASE("a codec takes a type that has nothing of what it cannot take") {
    CHECK_FALSE(wirelab::Takes<Limited, Wide>);
    CHECK(wirelab::Takes<Limited, Narrow>);
    CHECK(wirelab::Takes<Unlimited, Wide>);
    CHECK(wirelab::cannot_of<Limited>()[0].feature == "u128");
    CHECK(wirelab::instead_of<Limited>().empty());
}

}  // namespace
