/// The bytes of a value's data, by the definition of the scenarios' `data_size_bytes`: numbers and booleans by their
/// size, strings and lists with the byte that holds their count; of a message that is a list, the numbers alone.
#pragma once

#include "wirelab/messages.hpp"

namespace wirelab {

template <class T>
    requires std::is_arithmetic_v<T>
std::size_t part_size(T) {
    return sizeof(T);
}

inline std::size_t part_size(const std::string& text) { return 1 + text.size(); }

template <class T, std::size_t Count>
std::size_t part_size(const std::array<T, Count>&) {
    return Count * sizeof(T);
}

template <class T>
std::size_t part_size(const std::vector<T>& items) {
    std::size_t total = 1;
    for (const auto& item : items) {
        total += part_size(item);
    }
    return total;
}

template <class Number>
std::size_t data_size(const std::vector<Number>& numbers) {
    return numbers.size() * sizeof(Number);
}

inline std::size_t data_size(const NestedObject& value) {
    const auto sum = [](const auto&... parts) { return (part_size(parts) + ...); };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = value;
    return sum(fixed.int_array, fixed.float_array, fixed.double_array, names.name0, names.name1, names.name2,
               names.name3, names.name4, another.string, another.another_string, another.boolean,
               another.nested_object.v3s, another.nested_object.id, string_array, string, number, boolean,
               another_bool);
}

}  // namespace wirelab
