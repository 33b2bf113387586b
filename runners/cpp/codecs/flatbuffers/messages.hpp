/// Between the shared messages and those of FlatBuffers' object API; outside of every clock.
#pragma once

#include "arrays_generated.h"
#include "wirelab/messages.hpp"

namespace wirelab::flat {

/// The table of a message type; `NativeTableType` is its object.
template <class T>
struct TableOf;

template <>
struct TableOf<NestedObject> {
    using Type = arrays::NestedObject;
};
template <>
struct TableOf<ArrayF64> {
    using Type = arrays::ArrayF64;
};
template <>
struct TableOf<ArrayF32> {
    using Type = arrays::ArrayF32;
};
template <>
struct TableOf<ArrayU64> {
    using Type = arrays::ArrayU64;
};
template <>
struct TableOf<ArrayU32> {
    using Type = arrays::ArrayU32;
};
template <>
struct TableOf<ArrayU16> {
    using Type = arrays::ArrayU16;
};

template <class T>
using Object = typename TableOf<T>::Type::NativeTableType;

template <class Number>
Object<std::vector<Number>> object_of(const std::vector<Number>& value) {
    Object<std::vector<Number>> object;
    object.values = value;
    return object;
}

template <class Number>
void read_object(const Object<std::vector<Number>>& object, std::vector<Number>& value) {
    value = object.values;
}

inline Object<NestedObject> object_of(const NestedObject& value) {
    Object<NestedObject> object;
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = value;
    object.fixed_object = std::make_unique<arrays::FixedObjectT>();
    object.fixed_object->int_array = fixed.int_array;
    object.fixed_object->float_array = fixed.float_array;
    object.fixed_object->double_array = fixed.double_array;
    object.fixed_name_object = std::make_unique<arrays::FixedNameObjectT>();
    object.fixed_name_object->name0 = names.name0;
    object.fixed_name_object->name1 = names.name1;
    object.fixed_name_object->name2 = names.name2;
    object.fixed_name_object->name3 = names.name3;
    object.fixed_name_object->name4 = names.name4;
    auto inner = std::make_unique<arrays::InnerObjectT>();
    for (const auto& [x, y, z] : another.nested_object.v3s) {
        inner->v3s.emplace_back(x, y, z);
    }
    inner->id = another.nested_object.id;
    object.another_object = std::make_unique<arrays::AnotherObjectT>();
    object.another_object->string = another.string;
    object.another_object->another_string = another.another_string;
    object.another_object->boolean = another.boolean;
    object.another_object->nested_object = std::move(inner);
    object.string_array = string_array;
    object.string = string;
    object.number = number;
    object.boolean = boolean;
    object.another_bool = another_bool;
    return object;
}

/// A table that the format allows to leave out and the message does not.
template <class Table>
const Table& present(const std::unique_ptr<Table>& table) {
    if (!table) {
        throw Refused("a table is left out");
    }
    return *table;
}

inline void read_object(const Object<NestedObject>& object, NestedObject& value) {
    const auto& fixed = present(object.fixed_object);
    value.fixed_object = {fixed.int_array, fixed.float_array, fixed.double_array};
    const auto& names = present(object.fixed_name_object);
    value.fixed_name_object = {names.name0, names.name1, names.name2, names.name3, names.name4};
    const auto& another = present(object.another_object);
    const auto& inner = present(another.nested_object);
    value.another_object = {another.string, another.another_string, another.boolean, {}};
    for (const auto& v3 : inner.v3s) {
        value.another_object.nested_object.v3s.push_back({v3.x(), v3.y(), v3.z()});
    }
    value.another_object.nested_object.id = inner.id;
    value.string_array = object.string_array;
    value.string = object.string;
    value.number = object.number;
    value.boolean = object.boolean;
    value.another_bool = object.another_bool;
}

}  // namespace wirelab::flat
