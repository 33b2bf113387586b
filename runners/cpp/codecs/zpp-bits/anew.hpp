/// The nested object made anew from the other form of it, field by field, as the publication's program does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "messages.hpp"

namespace wirelab::shaped {

/// Elements one by one, in memory that is taken once.
template <class To>
std::vector<To> each(const auto& values, const auto& made) {
    std::vector<To> all;
    all.reserve(values.size());
    for (const auto& value : values) {
        all.push_back(made(value));
    }
    return all;
}

/// Vectors of numbers are assigned to an empty object, as the publication's program does; other fields begin as copies.
template <class Integer, class Fixed>
Fixed fixed_anew(const auto& fixed, const auto& integer) {
    Fixed made;
    made.int_array = each<Integer>(fixed.int_array, integer);
    made.float_array = fixed.float_array;
    made.double_array = fixed.double_array;
    return made;
}

inline NestedObject shaped_anew(const wirelab::NestedObject& value) {
    using Integer = zpp::bits::vsint32_t;
    const auto integer = [](std::int32_t number) { return Integer{number}; };
    const auto vector = [](const std::array<double, 3>& v) { return Vector3{v[0], v[1], v[2]}; };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = value;
    const auto& inner = another.nested_object;
    return {fixed_anew<Integer, FixedObject>(fixed, integer),
            {names.name0, names.name1, names.name2, names.name3, names.name4},
            {another.string, another.another_string, another.boolean, {each<Vector3>(inner.v3s, vector), inner.id}},
            string_array,
            string,
            number,
            boolean,
            another_bool};
}

inline wirelab::NestedObject shared_anew(const NestedObject& message) {
    using Vector = std::array<double, 3>;
    const auto integer = [](zpp::bits::vsint32_t number) { return static_cast<std::int32_t>(number); };
    const auto vector = [](const Vector3& v) { return Vector{v.x, v.y, v.z}; };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = message;
    const auto& inner = another.nested_object;
    return {fixed_anew<std::int32_t, wirelab::FixedObject>(fixed, integer),
            {names.name0, names.name1, names.name2, names.name3, names.name4},
            {another.string, another.another_string, another.boolean, {each<Vector>(inner.v3s, vector), inner.id}},
            string_array,
            string,
            number,
            boolean,
            another_bool};
}

}  // namespace wirelab::shaped
