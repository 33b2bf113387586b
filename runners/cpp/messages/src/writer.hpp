/// From a value to canonical JSON.
///
/// Written here, since each number has to be the shortest decimal that reads back as the same value of its own type,
/// and since text that a codec gave back must show as it is, be it UTF-8 or not: judging it is the driver's part.
#pragma once

#include <charconv>
#include <cmath>
#include <format>

#include "base64.hpp"
#include "shapes.hpp"

namespace wirelab::canonical {

inline void put_text(std::string& json, std::string_view text) {
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

template <class T>
void put_number(std::string& json, T number) {
    std::array<char, 48> digits{};
    const std::string_view text(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
    json += text;
    if (std::floating_point<T> && text.find_first_of(".e") == text.npos) {
        json += ".0";  // a reader that knows integers would lose the sign of -0
    }
}

/// How a value of a shape is written.
template <class Shape>
struct Form;

template <class Shape>
void put(std::string& json, const ValueOf<Shape>& value) {
    Form<Shape>::put(json, value);
}

template <>
struct Form<bool> {
    static void put(std::string& json, bool value) { json += value ? "true" : "false"; }
};

template <Number T>
struct Form<T> {
    static void put(std::string& json, T number) {
        if constexpr (std::floating_point<T>) {
            if (!std::isfinite(number)) {
                json += "null";  // as JavaScript writes what JSON cannot
                return;
            }
        }
        put_number(json, number);
    }
};

template <Wide T>
struct Form<T> {
    static void put(std::string& json, T number) {
        json += '"';
        put_number(json, number);
        json += '"';
    }
};

template <>
struct Form<std::string> {
    static void put(std::string& json, const std::string& text) { put_text(json, text); }
};

template <>
struct Form<Base64> {
    static void put(std::string& json, const std::vector<std::uint8_t>& bytes) { put_text(json, to_base64(bytes)); }
};

template <Enum T>
struct Form<T> {
    static void put(std::string& json, T value) {
        for (const auto& [name, known] : variants<T>) {
            if (known == value) {
                put_text(json, name);
                return;
            }
        }
        throw Refused("a number is no value of its enumeration");
    }
};

template <class T>
struct Form<std::optional<T>> {
    static void put(std::string& json, const std::optional<ValueOf<T>>& value) {
        value ? canonical::put<T>(json, *value) : void(json += "null");
    }
};

template <class T>
void put_list(std::string& json, const auto& items) {
    json += '[';
    for (bool is_first = true; const auto& item : items) {
        if (!std::exchange(is_first, false)) {
            json += ',';
        }
        put<T>(json, item);
    }
    json += ']';
}

template <class T>
struct Form<std::vector<T>> {
    static void put(std::string& json, const std::vector<ValueOf<T>>& items) { put_list<T>(json, items); }
};

template <class T, std::size_t Count>
struct Form<std::array<T, Count>> {
    static void put(std::string& json, const std::array<ValueOf<T>, Count>& items) { put_list<T>(json, items); }
};

template <class... T>
struct Form<std::tuple<T...>> {
    static void put(std::string& json, const std::tuple<ValueOf<T>...>& items) {
        json += '[';
        std::apply(
            [&, is_first = true](const auto&... item) mutable {
                ((json += std::exchange(is_first, false) ? "" : ",", canonical::put<T>(json, item)), ...);
            },
            items);
        json += ']';
    }
};

template <class T>
struct Form<std::map<std::string, T>> {
    static void put(std::string& json, const std::map<std::string, ValueOf<T>>& members) {
        json += '{';
        for (bool is_first = true; const auto& [name, value] : members) {
            json += std::exchange(is_first, false) ? "" : ",";
            put_text(json, name);
            json += ':';
            canonical::put<T>(json, value);
        }
        json += '}';
    }
};

template <Struct T>
struct Form<T> {
    static void put(std::string& json, const T& message) {
        json += '{';
        std::apply(
            [&, is_first = true]<class... Shape>(const Field<T, Shape>&... field) mutable {
                ((json += std::exchange(is_first, false) ? "" : ",", put_text(json, field.name), json += ':',
                  canonical::put<Shape>(json, message.*field.member)),
                 ...);
            },
            fields<T>);
        json += '}';
    }
};

}  // namespace wirelab::canonical
