/// Between the values of plain structs and those of zpp_bits' shapes. What is there is overwritten and its memory kept.
#pragma once

#include <zpp_bits.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wirelab/codec.hpp"

// A number that may be missing is a list of at most one field; zpp_bits writes such a field, and not yet one in a list.
namespace zpp::bits {

template <class Type, auto Number>
constexpr auto serialize(auto& archive, const pb_field_fundamental<Type, Number>& field) {
    return archive(field.value);
}
template <class Type, auto Number>
constexpr auto serialize(auto& archive, pb_field_fundamental<Type, Number>& field) {
    return archive(field.value);
}

}  // namespace zpp::bits

namespace wirelab::shaped {

using Bytes = std::vector<std::byte>;

/// Numbers and enumerations of a plain struct.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
concept Integer128 = std::same_as<T, unsigned __int128> || std::same_as<T, __int128>;

/// Where generated code says how one struct is made of the other.
template <class From, class To>
concept Converts = requires(const From& from, To& to) { convert(from, to); };

template <class T>
auto number_of(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (requires { typename T::pb_field_type; }) {
        return number_of(zpp::bits::pb_value(value));
    } else if constexpr (requires { value.value; }) {
        return value.value;
    } else {
        return value;
    }
}

/// A number as a member of a shape: as it is, a varint, or one of these as a field.
template <class To>
To shape_of(auto number) {
    if constexpr (requires { typename To::pb_field_type; }) {
        return To{shape_of<typename To::pb_field_type>(number)};
    } else if constexpr (requires { typename To::value_type; }) {
        return To{static_cast<typename To::value_type>(number)};
    } else {
        return static_cast<To>(number);
    }
}

/// A number that its type can't hold is refused; where it can hold all of them, nothing is compared.
template <class To>
To fitting(auto number) {
    using From = decltype(number);
    if constexpr (std::is_enum_v<To>) {
        return static_cast<To>(fitting<std::underlying_type_t<To>>(number));
    } else {
        if constexpr (std::integral<To> && std::integral<From> && !std::same_as<To, bool> &&
                      !std::same_as<From, bool>) {
            if (!std::in_range<To>(number)) {
                throw Refused("a number is larger than its type");
            }
        }
        return static_cast<To>(number);
    }
}

inline void has_length(std::size_t length, std::size_t wanted) {
    if (length != wanted) {
        throw Refused("a list has " + std::to_string(length) + " elements instead of " + std::to_string(wanted));
    }
}

template <class From, class To>
void transfer(const From& from, To& to);

template <class From, class To>
struct Transfer {
    static void run(const From& from, To& to) {
        if constexpr (std::same_as<From, To>) {
            to = from;
        } else if constexpr (Converts<From, To>) {
            convert(from, to);
        } else if constexpr (Number<From>) {
            to = shape_of<To>(number_of(from));
        } else {
            to = fitting<To>(number_of(from));
        }
    }
};

template <class From, class To>
struct Transfer<std::vector<From>, std::vector<To>> {
    static void run(const std::vector<From>& from, std::vector<To>& to) {
        if constexpr (std::same_as<From, To>) {
            to = from;
        } else if constexpr (std::is_convertible_v<const From&, To> && !std::same_as<From, bool>) {
            to.assign(from.begin(), from.end());
        } else {
            to.clear();
            to.reserve(from.size());
            for (const auto& item : from) {
                To made{};
                transfer(item, made);
                to.push_back(std::move(made));
            }
        }
    }
};

template <>
struct Transfer<std::vector<std::uint8_t>, Bytes> {
    static void run(const std::vector<std::uint8_t>& from, Bytes& to) {
        const auto* bytes = reinterpret_cast<const std::byte*>(from.data());
        to.assign(bytes, bytes + from.size());
    }
};
template <>
struct Transfer<Bytes, std::vector<std::uint8_t>> {
    static void run(const Bytes& from, std::vector<std::uint8_t>& to) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(from.data());
        to.assign(bytes, bytes + from.size());
    }
};
template <std::size_t Count>
struct Transfer<std::array<std::uint8_t, Count>, Bytes> {
    static void run(const std::array<std::uint8_t, Count>& from, Bytes& to) {
        const auto* bytes = reinterpret_cast<const std::byte*>(from.data());
        to.assign(bytes, bytes + Count);
    }
};
template <std::size_t Count>
struct Transfer<Bytes, std::array<std::uint8_t, Count>> {
    static void run(const Bytes& from, std::array<std::uint8_t, Count>& to) {
        has_length(from.size(), Count);
        for (std::size_t index = 0; index < Count; ++index) {
            to[index] = std::to_integer<std::uint8_t>(from[index]);
        }
    }
};

template <Integer128 From>
struct Transfer<From, Bytes> {
    static void run(From from, Bytes& to) {
        to.clear();
        for (int shift = 0; shift < 128; shift += 8) {
            to.push_back(static_cast<std::byte>(static_cast<unsigned __int128>(from) >> shift & 0xff));
        }
    }
};
template <Integer128 To>
struct Transfer<Bytes, To> {
    static void run(const Bytes& from, To& to) {
        has_length(from.size(), 16);
        unsigned __int128 number = 0;
        for (std::size_t index = 16; index-- > 0;) {
            number = number << 8 | std::to_integer<std::uint8_t>(from[index]);
        }
        to = static_cast<To>(number);
    }
};

template <class From, std::size_t Count, class To>
    requires(!std::same_as<From, std::uint8_t>)
struct Transfer<std::array<From, Count>, std::vector<To>> {
    static void run(const std::array<From, Count>& from, std::vector<To>& to) {
        to.clear();
        to.reserve(Count);
        for (const auto& item : from) {
            To made{};
            transfer(item, made);
            to.push_back(std::move(made));
        }
    }
};
template <class From, class To, std::size_t Count>
    requires(!std::same_as<To, std::uint8_t>)
struct Transfer<std::vector<From>, std::array<To, Count>> {
    static void run(const std::vector<From>& from, std::array<To, Count>& to) {
        has_length(from.size(), Count);
        for (std::size_t index = 0; index < Count; ++index) {
            transfer(from[index], to[index]);
        }
    }
};

template <class From, class To>
struct Transfer<std::optional<From>, std::vector<To>> {
    static void run(const std::optional<From>& from, std::vector<To>& to) {
        to.clear();
        if (from) {
            To made{};
            transfer(*from, made);
            to.push_back(std::move(made));
        }
    }
};
template <class From, class To>
struct Transfer<std::vector<From>, std::optional<To>> {
    static void run(const std::vector<From>& from, std::optional<To>& to) {
        to.reset();
        if (!from.empty()) {
            transfer(from.back(), to.emplace());
        }
    }
};

template <class From, class To>
    requires(!std::same_as<From, To>)
struct Transfer<std::map<std::string, From>, std::map<std::string, To>> {
    static void run(const std::map<std::string, From>& from, std::map<std::string, To>& to) {
        to.clear();
        for (const auto& [key, value] : from) {
            transfer(value, to[key]);
        }
    }
};

template <class From, class To>
void transfer(const From& from, To& to) {
    Transfer<From, To>::run(from, to);
}

/// Says what `anew` makes.
template <class To>
struct Made {};

template <class From, class To>
concept Anew = requires(const From& from) { anew(from, Made<To>{}); };

/// A new value of the other form.
template <class To, class From>
To made(const From& from) {
    if constexpr (std::same_as<From, To>) {
        return from;
    } else if constexpr (Anew<From, To>) {
        return anew(from, Made<To>{});
    } else {
        To to{};
        transfer(from, to);
        return to;
    }
}

/// Elements one by one, in memory that is taken once.
template <class To, class From>
    requires(!std::same_as<From, To> && !std::same_as<From, std::byte> && !std::same_as<To, std::byte>)
std::vector<To> anew(const std::vector<From>& from, Made<std::vector<To>>) {
    std::vector<To> all;
    all.reserve(from.size());
    for (const auto& item : from) {
        all.push_back(made<To>(item));
    }
    return all;
}

template <class To, class From>
To converted(const From& from) {
    To to{};
    convert(from, to);
    return to;
}

/// Writes over what a buffer holds, which zpp_bits leaves as long as it was.
void write_over(const auto& message, auto& buffer) {
    zpp::bits::out out{buffer, zpp::bits::no_size{}};
    out(message).or_throw();
    buffer.resize(out.position());
}

}  // namespace wirelab::shaped
