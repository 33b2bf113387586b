/// A library's calls as the timed loops make them.
///
/// Each is a function of its own, so that it is compiled once and alike for every loop around it, and not into it.
#pragma once

#include <cstdint>
#include <string>

namespace wirelab::call {

template <class Codec, class Message, class Buffer>
[[gnu::noinline]] void encode(Codec& codec, const Message& message, Buffer& buffer) {
    codec.encode(message, buffer);
}

template <class Codec, class Message>
[[gnu::noinline]] void decode(Codec& codec, const std::string& encoded, Message& message) {
    codec.decode(encoded, message);
}

template <class Codec, class T>
[[gnu::noinline]] auto build(const T& value) {
    return Codec::own(value);
}

template <class Codec, class T>
[[gnu::noinline]] std::uint64_t access(const Codec& codec, const std::string& encoded) {
    return codec.template access<T>(encoded);
}

}  // namespace wirelab::call
