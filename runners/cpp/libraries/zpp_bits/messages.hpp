/// The shared messages in the shape that zpp_bits writes as the publication's Protocol Buffers (schemas/arrays.proto):
/// members are fields in their order, `vsint32_t` is sint32. It takes numbers of two bytes as well and packs them,
/// which is no type of Protocol Buffers.
#pragma once

#include <zpp_bits.h>

#include "wirelab/messages.hpp"

namespace wirelab::shaped {

using zpp::bits::pb_protocol;

struct FixedObject {
    using serialize = pb_protocol;
    std::vector<zpp::bits::vsint32_t> int_array;
    std::vector<float> float_array;
    std::vector<double> double_array;
};

struct FixedNameObject {
    using serialize = pb_protocol;
    std::string name0;
    std::string name1;
    std::string name2;
    std::string name3;
    std::string name4;
};

struct Vector3 {
    using serialize = pb_protocol;
    double x{};
    double y{};
    double z{};
};

struct InnerObject {
    using serialize = pb_protocol;
    std::vector<Vector3> v3s;
    std::string id;
};

struct AnotherObject {
    using serialize = pb_protocol;
    std::string string;
    std::string another_string;
    bool boolean{};
    InnerObject nested_object;
};

struct NestedObject {
    using serialize = pb_protocol;
    FixedObject fixed_object;
    FixedNameObject fixed_name_object;
    AnotherObject another_object;
    std::vector<std::string> string_array;
    std::string string;
    double number{};
    bool boolean{};
    bool another_bool{};
};

/// An array's one field.
template <class Number>
struct Array {
    using serialize = pb_protocol;
    std::vector<Number> values;
};

/// From the shared nested object to the shaped one or back. What is there is overwritten and its memory kept.
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

}  // namespace wirelab::shaped
