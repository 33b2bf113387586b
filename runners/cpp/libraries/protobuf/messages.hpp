/// Between the shared messages and the generated ones; outside of every clock.
#pragma once

#include "arrays.pb.h"
#include "wirelab/messages.hpp"

namespace wirelab::generated {

/// The generated message of a shared type.
template <class T>
struct MessageFor;

template <>
struct MessageFor<NestedObject> {
    using Type = arrays::NestedObject;
};
template <>
struct MessageFor<ArrayF64> {
    using Type = arrays::ArrayF64;
};
template <>
struct MessageFor<ArrayF32> {
    using Type = arrays::ArrayF32;
};
template <>
struct MessageFor<ArrayU64> {
    using Type = arrays::ArrayU64;
};
template <>
struct MessageFor<ArrayU32> {
    using Type = arrays::ArrayU32;
};
template <>
struct MessageFor<ArrayU16> {
    using Type = arrays::ArrayU16;
};

template <class T>
using Message = typename MessageFor<T>::Type;

template <class Number>
void fill(Message<std::vector<Number>>& message, const std::vector<Number>& value) {
    message.mutable_values()->Assign(value.begin(), value.end());
}

template <class Number>
void read(const Message<std::vector<Number>>& message, std::vector<Number>& value) {
    for (const auto number : message.values()) {
        if (static_cast<Number>(number) != number) {  // 16 bits travel as a varint of 32
            throw Refused("a number is larger than its type");
        }
        value.push_back(static_cast<Number>(number));
    }
}

inline void fill(Message<NestedObject>& message, const NestedObject& value) {
    const auto& [fixed_object, fixed_name_object, another_object, string_array, string, number, boolean, another_bool] =
        value;
    auto& fixed = *message.mutable_fixed_object();
    fixed.mutable_int_array()->Assign(fixed_object.int_array.begin(), fixed_object.int_array.end());
    fixed.mutable_float_array()->Assign(fixed_object.float_array.begin(), fixed_object.float_array.end());
    fixed.mutable_double_array()->Assign(fixed_object.double_array.begin(), fixed_object.double_array.end());
    auto& names = *message.mutable_fixed_name_object();
    names.set_name0(fixed_name_object.name0);
    names.set_name1(fixed_name_object.name1);
    names.set_name2(fixed_name_object.name2);
    names.set_name3(fixed_name_object.name3);
    names.set_name4(fixed_name_object.name4);
    auto& another = *message.mutable_another_object();
    another.set_string(another_object.string);
    another.set_another_string(another_object.another_string);
    another.set_boolean(another_object.boolean);
    another.mutable_nested_object()->set_id(another_object.nested_object.id);
    for (const auto& [x, y, z] : another_object.nested_object.v3s) {
        auto& v3 = *another.mutable_nested_object()->add_v3s();
        v3.set_x(x);
        v3.set_y(y);
        v3.set_z(z);
    }
    message.mutable_string_array()->Assign(string_array.begin(), string_array.end());
    message.set_string(string);
    message.set_number(number);
    message.set_boolean(boolean);
    message.set_another_bool(another_bool);
}

inline void read(const Message<NestedObject>& message, NestedObject& value) {
    const auto list = [](const auto& from, auto& to) { to.assign(from.begin(), from.end()); };
    const auto& fixed = message.fixed_object();
    list(fixed.int_array(), value.fixed_object.int_array);
    list(fixed.float_array(), value.fixed_object.float_array);
    list(fixed.double_array(), value.fixed_object.double_array);
    const auto& names = message.fixed_name_object();
    value.fixed_name_object = {names.name0(), names.name1(), names.name2(), names.name3(), names.name4()};
    const auto& another = message.another_object();
    value.another_object = {another.string(), another.another_string(), another.boolean(), {}};
    value.another_object.nested_object.id = another.nested_object().id();
    for (const auto& v3 : another.nested_object().v3s()) {
        value.another_object.nested_object.v3s.push_back({v3.x(), v3.y(), v3.z()});
    }
    list(message.string_array(), value.string_array);
    value.string = message.string();
    value.number = message.number();
    value.boolean = message.boolean();
    value.another_bool = message.another_bool();
}

/// The version of the runtime: 3.21.12 is 3021012.
inline std::string version() {
    constexpr unsigned number = GOOGLE_PROTOBUF_VERSION;
    return std::to_string(number / 1'000'000) + "." + std::to_string(number / 1000 % 1000) + "." +
           std::to_string(number % 1000);
}

}  // namespace wirelab::generated
