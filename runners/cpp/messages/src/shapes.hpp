/// What the generated tables of fields are made of, and how a value's type is told from its shape.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "types.hpp"

namespace wirelab::canonical {

/// The shape of bytes, whose type is that of a list of small numbers. Other shapes are types.
struct Base64 {};

/// The type of the values of a shape.
template <class Shape>
struct Shaped {
    using Value = Shape;
};

template <class Shape>
using ValueOf = typename Shaped<Shape>::Value;

template <>
struct Shaped<Base64> {
    using Value = std::vector<std::uint8_t>;
};
template <class Shape>
struct Shaped<std::vector<Shape>> {
    using Value = std::vector<ValueOf<Shape>>;
};
template <class Shape, std::size_t Count>
struct Shaped<std::array<Shape, Count>> {
    using Value = std::array<ValueOf<Shape>, Count>;
};
template <class Shape>
struct Shaped<std::optional<Shape>> {
    using Value = std::optional<ValueOf<Shape>>;
};
template <class Shape>
struct Shaped<std::map<std::string, Shape>> {
    using Value = std::map<std::string, ValueOf<Shape>>;
};
template <class... Shape>
struct Shaped<std::tuple<Shape...>> {
    using Value = std::tuple<ValueOf<Shape>...>;
};

/// The shape of a message that contains bytes.
template <class Message>
struct ShapeOf {
    using Type = Message;
};

template <class Message, class Shape>
struct Field {
    std::string_view name;
    ValueOf<Shape> Message::* member;
};
template <class Message, class Value>
Field(std::string_view, Value Message::*) -> Field<Message, Value>;

/// The fields of a struct in their order; std::false_type for all that is no struct.
template <class T>
inline constexpr std::false_type fields{};

/// The names of an enumeration's values.
template <class T>
inline constexpr std::false_type variants{};

template <class T>
concept Struct = !std::same_as<std::remove_cvref_t<decltype(fields<T>)>, std::false_type>;

template <class T>
concept Enum = std::is_enum_v<T>;

/// Integers, those of 128 bits aside, and floats.
template <class T>
concept Number = std::is_arithmetic_v<T> && sizeof(T) <= 8;

template <class T>
concept Wide = std::same_as<T, unsigned __int128> || std::same_as<T, __int128>;

}  // namespace wirelab::canonical
