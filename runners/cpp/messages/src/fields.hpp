/// The names under which the fields of the shared messages stand in canonical JSON.
#pragma once

#include <tuple>

#include "wirelab/messages.hpp"

namespace wirelab::canonical {

template <class Message, class Value>
struct Field {
    const char* name;
    Value Message::* member;
};

/// The fields of a message in their order; std::false_type for all that is no message.
template <class T>
inline constexpr std::false_type fields{};

template <>
inline constexpr std::tuple fields<FixedObject>{
    Field{"int_array", &FixedObject::int_array},
    Field{"float_array", &FixedObject::float_array},
    Field{"double_array", &FixedObject::double_array},
};

template <>
inline constexpr std::tuple fields<FixedNameObject>{
    Field{"name0", &FixedNameObject::name0}, Field{"name1", &FixedNameObject::name1},
    Field{"name2", &FixedNameObject::name2}, Field{"name3", &FixedNameObject::name3},
    Field{"name4", &FixedNameObject::name4},
};

template <>
inline constexpr std::tuple fields<InnerObject>{
    Field{"v3s", &InnerObject::v3s},
    Field{"id", &InnerObject::id},
};

template <>
inline constexpr std::tuple fields<AnotherObject>{
    Field{"string", &AnotherObject::string},
    Field{"another_string", &AnotherObject::another_string},
    Field{"boolean", &AnotherObject::boolean},
    Field{"nested_object", &AnotherObject::nested_object},
};

template <>
inline constexpr std::tuple fields<NestedObject>{
    Field{"fixed_object", &NestedObject::fixed_object},
    Field{"fixed_name_object", &NestedObject::fixed_name_object},
    Field{"another_object", &NestedObject::another_object},
    Field{"string_array", &NestedObject::string_array},
    Field{"string", &NestedObject::string},
    Field{"number", &NestedObject::number},
    Field{"boolean", &NestedObject::boolean},
    Field{"another_bool", &NestedObject::another_bool},
};

template <class T>
concept Struct = !std::same_as<std::remove_cvref_t<decltype(fields<T>)>, std::false_type>;

}  // namespace wirelab::canonical
