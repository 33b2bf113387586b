/// Between single values of the plain structs and those of protoc's messages.
#pragma once

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/map.h>
#include <google/protobuf/repeated_field.h>
#include <google/protobuf/stubs/common.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wirelab/codec.hpp"

namespace wirelab::generated {

/// The version of the runtime: 3.21.12 is 3021012.
inline std::string version() {
    constexpr unsigned number = GOOGLE_PROTOBUF_VERSION;
    return std::to_string(number / 1'000'000) + "." + std::to_string(number / 1000 % 1000) + "." +
           std::to_string(number % 1000);
}

/// Throws Refused where the library says that it could not.
inline void require(bool done, const char* problem) {
    if (!done) {
        throw Refused(problem);
    }
}

/// Whether a message has maps, at any depth: generated code says it.
template <class Message>
inline constexpr bool has_maps = false;

/// Replaces what the buffer holds by the encoded message. Entries of maps are in the order of their keys: by default it
/// is that of a hash with a seed, so that no two processes write the same bytes.
template <class Message>
void serialize(const Message& message, std::string& buffer) {
    bool done = false;
    if constexpr (has_maps<Message>) {
        buffer.resize(message.ByteSizeLong());
        google::protobuf::io::ArrayOutputStream array(buffer.data(), static_cast<int>(buffer.size()));
        google::protobuf::io::CodedOutputStream out(&array);
        out.SetSerializationDeterministic(true);
        done = message.SerializeToCodedStream(&out);
    } else {
        done = message.SerializeToString(&buffer);
    }
    require(done, "the message cannot be serialized");
}

template <class T>
concept Integer128 = std::same_as<T, unsigned __int128> || std::same_as<T, __int128>;

/// What a field of protoc's message is set to.
template <class T>
    requires(std::is_arithmetic_v<T> && !Integer128<T>)
T put(T number) {
    return number;
}
template <class T>
    requires std::is_enum_v<T>
std::underlying_type_t<T> put(T value) {
    return static_cast<std::underlying_type_t<T>>(value);
}
// NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): a field is set within the same expression.
inline const std::string& put(const std::string& text) { return text; }
inline std::string put(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
template <std::size_t Count>
std::string put(const std::array<std::uint8_t, Count>& bytes) {
    return {bytes.begin(), bytes.end()};
}
template <Integer128 T>
std::string put(T number) {
    std::string bytes;
    for (int shift = 0; shift < 128; shift += 8) {
        bytes += static_cast<char>(static_cast<unsigned __int128>(number) >> shift & 0xff);
    }
    return bytes;
}

/// What a field of protoc's message says. Throws Refused where the plain type has no such value.
template <class From, class To>
    requires(std::is_arithmetic_v<To> && !Integer128<To>)
void take(From number, To& to) {
    if constexpr (std::integral<To> && !std::same_as<To, bool>) {
        if (!std::in_range<To>(number)) {
            throw Refused("a number is larger than its type");
        }
    }
    to = static_cast<To>(number);
}
template <class From, class To>
    requires std::is_enum_v<To>
void take(From number, To& to) {
    std::underlying_type_t<To> value{};
    take(number, value);
    to = static_cast<To>(value);
}
inline void take(const std::string& text, std::string& to) { to = text; }
inline void take(const std::string& bytes, std::vector<std::uint8_t>& to) { to.assign(bytes.begin(), bytes.end()); }

inline void has_length(std::size_t length, std::size_t wanted) {
    if (length != wanted) {
        throw Refused("a list has " + std::to_string(length) + " elements instead of " + std::to_string(wanted));
    }
}

template <std::size_t Count>
void take(const std::string& bytes, std::array<std::uint8_t, Count>& to) {
    has_length(bytes.size(), Count);
    std::copy(bytes.begin(), bytes.end(), to.begin());
}
template <Integer128 T>
void take(const std::string& bytes, T& to) {
    has_length(bytes.size(), 16);
    unsigned __int128 number = 0;
    for (std::size_t index = 16; index-- > 0;) {
        number = number << 8 | static_cast<std::uint8_t>(bytes[index]);
    }
    to = static_cast<T>(number);
}

/// A message: generated code has how it is read.
template <class Message, class To>
    requires requires(const Message& message, To& to) { read(message, to); }
void take(const Message& message, To& to) {
    read(message, to);
}

template <class List, class To>
    requires requires(const List& list) { list.Capacity(); }
void take(const List& list, std::vector<To>& to) {
    to.clear();
    to.reserve(static_cast<std::size_t>(list.size()));
    for (const auto& item : list) {
        To value{};
        take(item, value);
        to.push_back(std::move(value));
    }
}
template <class List, class To, std::size_t Count>
    requires requires(const List& list) { list.Capacity(); }
void take(const List& list, std::array<To, Count>& to) {
    has_length(static_cast<std::size_t>(list.size()), Count);
    for (std::size_t index = 0; const auto& item : list) {
        take(item, to[index++]);
    }
}
template <class Value, class To>
void take(const google::protobuf::Map<std::string, Value>& map, std::map<std::string, To>& to) {
    to.clear();
    for (const auto& [key, value] : map) {
        take(value, to[key]);
    }
}

}  // namespace wirelab::generated
