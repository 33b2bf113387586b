/// The shared messages in the shape that zpp_bits writes as the publication's Protocol Buffers (schemas/arrays.proto):
/// members are fields in their order, `vsint32_t` is sint32. It takes numbers of two bytes as well and packs them,
/// which is no type of Protocol Buffers.
#pragma once

#include <zpp_bits.h>

#include "wirelab/convert.hpp"

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

}  // namespace wirelab::shaped
