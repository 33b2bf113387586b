/// The bytes of a value's data, by the definition of the scenarios' `data_size_bytes`: numbers and booleans by their
/// size, strings by their length, nothing for what holds them.
#pragma once

#include <numeric>

#include "wirelab/messages.hpp"

namespace wirelab {

template <class T>
    requires std::is_arithmetic_v<T>
std::size_t data_size(T) {
    return sizeof(T);
}

inline std::size_t data_size(const std::string& text) { return text.size(); }

template <class List>
    requires requires(const List& list) { list.begin(); }
std::size_t data_size(const List& list) {
    std::size_t total = 0;
    for (const auto& item : list) {
        total += data_size(item);
    }
    return total;
}

inline std::size_t data_size(const NestedObject& value) {
    const auto sum = [](const auto&... parts) { return (data_size(parts) + ...); };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = value;
    return sum(fixed.int_array, fixed.float_array, fixed.double_array, names.name0, names.name1, names.name2,
               names.name3, names.name4, another.string, another.another_string, another.boolean,
               another.nested_object.v3s, another.nested_object.id, string_array, string, number, boolean,
               another_bool);
}

}  // namespace wirelab
