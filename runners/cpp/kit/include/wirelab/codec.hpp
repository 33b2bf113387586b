/// What a codec implements: one library in one configuration.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "wirelab/any.hpp"

namespace wirelab {

/// What a codec throws where its library refuses bytes; exceptions that a library throws itself do as well.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The encoded bytes in a codec's buffer. A codec whose buffer is without `data` and `size` gives `bytes(buffer)`.
template <class Codec>
std::string_view bytes_of(const typename Codec::Buffer& buffer) {
    if constexpr (requires { Codec::bytes(buffer); }) {
        return Codec::bytes(buffer);
    } else {
        return {buffer.data(), buffer.size()};
    }
}

/// A codec's own form of the shared message `T`: what its library encodes and decodes. By default `T` itself; a codec
/// with another gives `Message<T>`, `own(value)` and `shared(message)`. Both run outside the clock.
template <class Codec, class T>
struct Form {
    using Message = T;
    // NOLINTBEGIN(bugprone-return-const-ref-from-parameter): what a temporary is converted for ends with its
    // expression.
    static const T& own(const T& value) { return value; }
    static const T& shared(const T& message) { return message; }
    // NOLINTEND(bugprone-return-const-ref-from-parameter)
};

template <class Codec, class T>
    requires requires(const T& value) { Codec::own(value); }
struct Form<Codec, T> {
    using Message = decltype(Codec::own(std::declval<const T&>()));
    static Message own(const T& value) { return Codec::own(value); }
    static T shared(const Message& message) { return Codec::template shared<T>(message); }
};

template <class Codec, class T>
using MessageOf = typename Form<Codec, T>::Message;

/// Encodes messages: `encode` replaces what the buffer holds and may use the memory that it has.
template <class Codec, class T>
concept Encodes = requires(Codec codec, const MessageOf<Codec, T>& message, typename Codec::Buffer& buffer) {
    codec.encode(message, buffer);
    bytes_of<Codec>(buffer);
};

/// Decodes messages: `decode` replaces what the message holds and may use the memory that it has. The encoded bytes
/// are aligned as memory from `new` is, and a zero follows them, as strings have it.
template <class Codec, class T>
concept Decodes =
    requires(Codec codec, const std::string& encoded, MessageOf<Codec, T>& message) { codec.decode(encoded, message); };

/// Takes values without a message type, in an empty buffer and whole.
template <class Codec>
concept TakesAny =
    requires(Codec codec, const any::Value& value, typename Codec::Buffer& buffer, const std::string& encoded) {
        codec.encode_any(value, buffer);
        { codec.decode_any(encoded) } -> std::same_as<any::Value>;
    };

/// A scenario that measures a message type.
struct Scenario {
    std::string_view name;
    /// Whether its input is many messages; else it is one.
    bool rows = false;
    /// Whether operations are timed; else messages are only encoded and decoded.
    bool measured = true;
};

/// The scenarios that a message type serves, and what the type has that not every library can take; generated code
/// gives a specialization a type.
template <class T>
inline constexpr std::span<const Scenario> scenarios_of{};
template <class T>
inline constexpr std::span<const std::string_view> features_of{};

/// Whether a scenario of a type is measured: else no timed loop is compiled.
template <class T>
inline constexpr bool is_measured = std::ranges::any_of(scenarios_of<T>, &Scenario::measured);

template <class T>
consteval bool has_feature(std::string_view feature) {
    for (const auto one : features_of<T>) {
        if (one == feature) {
            return true;
        }
    }
    return false;
}

/// What of a type a codec cannot take, or takes in another shape: `Codec::cannot` and `Codec::instead`.
struct Limit {
    std::string_view feature;
    /// Why not, or what is written instead.
    std::string_view reason;
};

template <class Codec>
consteval std::span<const Limit> cannot_of() {
    if constexpr (requires { Codec::cannot; }) {
        return Codec::cannot;
    } else {
        return {};
    }
}

template <class Codec>
consteval std::span<const Limit> instead_of() {
    if constexpr (requires { Codec::instead; }) {
        return Codec::instead;
    } else {
        return {};
    }
}

/// Whether a codec takes a message type: nothing that the type has is among what the codec cannot take, and the codec
/// does not say that this very type is too much for it (`Codec::takes<T>`).
template <class Codec, class T>
concept Takes = [] {
    if constexpr (requires { Codec::template takes<T>; }) {
        if (!Codec::template takes<T>) {
            return false;
        }
    }
    for (const auto& limit : cannot_of<Codec>()) {
        if (has_feature<T>(limit.feature)) {
            return false;
        }
    }
    return true;
}();

/// Builds its own form of a message from the shared one as something to be measured: `Codec::builds`.
template <class Codec>
concept Builds = requires { requires Codec::builds; };

/// Reads each field of an encoded message in place, and gives the sum of all of them (METHODOLOGY.md, `access`).
template <class Codec, class T>
concept Accesses = requires(Codec codec, const std::string& encoded) {
    { codec.template access<T>(encoded) } -> std::same_as<std::uint64_t>;
};

}  // namespace wirelab
