/// Between the shared nested object and the types that a library wants in its place.
#pragma once

#include "wirelab/messages.hpp"

namespace wirelab {

/// From the shared nested object to one whose fields have the same names, or back. What is there is overwritten and its
/// memory kept.
template <class From, class To>
void convert(const From& from, To& to) {
    const auto& fixed = from.fixed_object;
    to.fixed_object.int_array.assign(fixed.int_array.begin(), fixed.int_array.end());
    to.fixed_object.float_array = fixed.float_array;
    to.fixed_object.double_array = fixed.double_array;
    const auto& names = from.fixed_name_object;
    to.fixed_name_object.name0 = names.name0;
    to.fixed_name_object.name1 = names.name1;
    to.fixed_name_object.name2 = names.name2;
    to.fixed_name_object.name3 = names.name3;
    to.fixed_name_object.name4 = names.name4;
    const auto& another = from.another_object;
    to.another_object.string = another.string;
    to.another_object.another_string = another.another_string;
    to.another_object.boolean = another.boolean;
    auto& v3s = to.another_object.nested_object.v3s;
    v3s.clear();
    for (const auto& [x, y, z] : another.nested_object.v3s) {
        v3s.push_back({x, y, z});
    }
    to.another_object.nested_object.id = another.nested_object.id;
    to.string_array = from.string_array;
    to.string = from.string;
    to.number = from.number;
    to.boolean = from.boolean;
    to.another_bool = from.another_bool;
}

template <class To, class From>
To converted(const From& from) {
    To to{};
    convert(from, to);
    return to;
}

}  // namespace wirelab
