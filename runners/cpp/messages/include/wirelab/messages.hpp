/// The message types that all codecs share, and which scenarios each serves.
///
/// A codec whose library generates its own types declares how to convert (`wirelab::Form`). The order of fields is part
/// of a message, since some formats write nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wirelab/codec.hpp"

namespace wirelab {

struct FixedObject {
    std::vector<std::int32_t> int_array;
    std::vector<float> float_array;
    std::vector<double> double_array;
};

struct FixedNameObject {
    std::string name0;
    std::string name1;
    std::string name2;
    std::string name3;
    std::string name4;
};

struct InnerObject {
    std::vector<std::array<double, 3>> v3s;
    std::string id;
};

struct AnotherObject {
    std::string string;
    std::string another_string;
    bool boolean{};
    InnerObject nested_object;
};

struct NestedObject {
    FixedObject fixed_object;
    FixedNameObject fixed_name_object;
    AnotherObject another_object;
    std::vector<std::string> string_array;
    std::string string;
    double number{};
    bool boolean{};
    bool another_bool{};
};

using ArrayF64 = std::vector<double>;
using ArrayF32 = std::vector<float>;
using ArrayU64 = std::vector<std::uint64_t>;
using ArrayU32 = std::vector<std::uint32_t>;
using ArrayU16 = std::vector<std::uint16_t>;

/// The scenarios of each type.
template <std::size_t Count>
using Names = std::array<std::string_view, Count>;

inline constexpr Names<1> nested_object_scenarios{"nested-object"};
inline constexpr Names<10> array_f64_scenarios{
    "array-f64",       "array-f64-16b",    "array-f64-128b", "array-f64-1kib",  "array-f64-8kib",
    "array-f64-64kib", "array-f64-512kib", "array-f64-4mib", "array-f64-32mib", "array-f64-64mib",
};
inline constexpr Names<1> array_f32_scenarios{"array-f32"};
inline constexpr Names<1> array_u64_scenarios{"array-u64"};
inline constexpr Names<1> array_u32_scenarios{"array-u32"};
inline constexpr Names<1> array_u16_scenarios{"array-u16"};

template <>
inline constexpr std::span<const std::string_view> scenarios_of<NestedObject> = nested_object_scenarios;
template <>
inline constexpr std::span<const std::string_view> scenarios_of<ArrayF64> = array_f64_scenarios;
template <>
inline constexpr std::span<const std::string_view> scenarios_of<ArrayF32> = array_f32_scenarios;
template <>
inline constexpr std::span<const std::string_view> scenarios_of<ArrayU64> = array_u64_scenarios;
template <>
inline constexpr std::span<const std::string_view> scenarios_of<ArrayU32> = array_u32_scenarios;
template <>
inline constexpr std::span<const std::string_view> scenarios_of<ArrayU16> = array_u16_scenarios;

/// Offers each shared message type to `offer`, as `offer.template operator()<T>()`.
template <class Offer>
void each_message(const Offer& offer) {
    offer.template operator()<NestedObject>();
    offer.template operator()<ArrayF64>();
    offer.template operator()<ArrayF32>();
    offer.template operator()<ArrayU64>();
    offer.template operator()<ArrayU32>();
    offer.template operator()<ArrayU16>();
}

}  // namespace wirelab
