/// From a value to canonical JSON.
///
/// Written here, since each number has to be the shortest decimal that reads back as the same value of its own type,
/// and since text that a codec gave back must show as it is, be it UTF-8 or not: judging it is the driver's part.
#pragma once

#include <charconv>
#include <cmath>
#include <format>

#include "fields.hpp"

namespace wirelab::canonical {

inline void put(std::string& json, bool value) { json += value ? "true" : "false"; }

template <class T>
    requires std::is_arithmetic_v<T>
void put(std::string& json, T number) {
    if constexpr (std::floating_point<T>) {
        if (!std::isfinite(number)) {
            json += "null";  // as JavaScript writes what JSON cannot
            return;
        }
    }
    std::array<char, 32> digits{};
    const std::string_view text(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
    json += text;
    if (std::floating_point<T> && text.find_first_of(".e") == text.npos) {
        json += ".0";  // a reader that knows integers would lose the sign of -0
    }
}

inline void put(std::string& json, const std::string& text) {
    json += '"';
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            json += '\\';
            json += character;
        } else if (static_cast<unsigned char>(character) < 0x20) {
            json += std::format("\\u{:04x}", static_cast<unsigned>(character));
        } else {
            json += character;
        }
    }
    json += '"';
}

template <Struct T>
void put(std::string& json, const T& message);

template <class List>
    requires requires(const List& list) {
        list.begin();
        requires !std::same_as<List, std::string>;
    }
void put(std::string& json, const List& list) {
    json += '[';
    for (bool is_first = true; const auto& item : list) {
        if (!std::exchange(is_first, false)) {
            json += ',';
        }
        put(json, item);
    }
    json += ']';
}

template <Struct T>
void put(std::string& json, const T& message) {
    json += '{';
    std::apply(
        [&, is_first = true](const auto&... field) mutable {
            ((json += std::exchange(is_first, false) ? "\"" : ",\"", json += field.name,
              json += "\":", put(json, message.*field.member)),
             ...);
        },
        fields<T>);
    json += '}';
}

}  // namespace wirelab::canonical
