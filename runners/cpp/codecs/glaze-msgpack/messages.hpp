/// The nested object in types that Glaze is told the fields of. It writes those as maps; a struct that it reflects, it
/// writes as an array in 7.8.4 and as a map in 9.0.0.
#pragma once

#include <glaze/msgpack.hpp>

#include "wirelab/convert.hpp"

namespace wirelab::named {

struct FixedObject : wirelab::FixedObject {};
struct FixedNameObject : wirelab::FixedNameObject {};
struct InnerObject : wirelab::InnerObject {};

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

}  // namespace wirelab::named

#define WIRELAB_FIELD(name) #name, &T::name

template <>
struct glz::meta<wirelab::named::FixedObject> {
    using T = wirelab::named::FixedObject;
    static constexpr auto value =
        object(WIRELAB_FIELD(int_array), WIRELAB_FIELD(float_array), WIRELAB_FIELD(double_array));
};

template <>
struct glz::meta<wirelab::named::FixedNameObject> {
    using T = wirelab::named::FixedNameObject;
    static constexpr auto value = object(WIRELAB_FIELD(name0), WIRELAB_FIELD(name1), WIRELAB_FIELD(name2),
                                         WIRELAB_FIELD(name3), WIRELAB_FIELD(name4));
};

template <>
struct glz::meta<wirelab::named::InnerObject> {
    using T = wirelab::named::InnerObject;
    static constexpr auto value = object(WIRELAB_FIELD(v3s), WIRELAB_FIELD(id));
};

template <>
struct glz::meta<wirelab::named::AnotherObject> {
    using T = wirelab::named::AnotherObject;
    static constexpr auto value = object(WIRELAB_FIELD(string), WIRELAB_FIELD(another_string), WIRELAB_FIELD(boolean),
                                         WIRELAB_FIELD(nested_object));
};

template <>
struct glz::meta<wirelab::named::NestedObject> {
    using T = wirelab::named::NestedObject;
    static constexpr auto value =
        object(WIRELAB_FIELD(fixed_object), WIRELAB_FIELD(fixed_name_object), WIRELAB_FIELD(another_object),
               WIRELAB_FIELD(string_array), WIRELAB_FIELD(string), WIRELAB_FIELD(number), WIRELAB_FIELD(boolean),
               WIRELAB_FIELD(another_bool));
};

#undef WIRELAB_FIELD
