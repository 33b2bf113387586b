/// Values without a message type, and their notation (CONTRIBUTING.md, In another language).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wirelab::any {

struct Bytes {
    std::string data;
    bool operator==(const Bytes&) const = default;
};

/// Bytes with a number that says what they are.
struct Ext {
    std::int8_t type = 0;
    std::string data;
    bool operator==(const Ext&) const = default;
};

/// The beginning of a list: so many values follow that are its own.
struct List {
    std::size_t count = 0;
    bool operator==(const List&) const = default;
};

/// The beginning of a map: so many keys follow, each before its value.
struct Map {
    std::size_t count = 0;
    bool operator==(const Map&) const = default;
};

/// A value without parts, or the beginning of one with some. A text may be no UTF-8.
using Item =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, Ext, List, Map>;

/// A value as its items in order. It is no tree, so that nothing recurses, however deep it is nested.
using Value = std::vector<Item>;

/// Reads the value of a line. Throws where it is no notation, or of a kind that `Item` has none for.
Value read(std::string_view line);

/// The line of a value, with its end.
std::string write(const Value& value);

}  // namespace wirelab::any
