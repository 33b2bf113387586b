/// What one repetition does: each operation under each of its conditions, written once.
///
/// A step is all that lies inside the timed loop besides the loop; the same code makes the product whose checksum is
/// reported. Its fields are the buffers that are reused; they begin empty.
#pragma once

#include <optional>
#include <string>

#include "wirelab/canonical.hpp"
#include "wirelab/codec.hpp"
#include "wirelab/measuring/call.hpp"
#include "wirelab/measuring/opaque.hpp"

namespace wirelab::step {

/// serialize, buffer=reused.
template <class Codec, class T>
struct SerializeReused {
    using Input = MessageOf<Codec, T>;
    Codec codec{};
    typename Codec::Buffer buffer{};

    void run(const Input& message) {
        call::encode(codec, message, buffer);
        opaque(buffer);
    }

    std::string product(const Input& message) {
        run(message);
        return std::string(bytes_of<Codec>(buffer));
    }
};

/// serialize, buffer=fresh: a new buffer each repetition, destroyed inside the clock.
template <class Codec, class T>
struct SerializeFresh {
    using Input = MessageOf<Codec, T>;
    Codec codec{};

    void run(const Input& message) {
        typename Codec::Buffer buffer{};
        call::encode(codec, message, buffer);
        opaque(buffer);
    }

    std::string product(const Input& message) {
        typename Codec::Buffer buffer{};
        call::encode(codec, message, buffer);
        return std::string(bytes_of<Codec>(buffer));
    }
};

/// deserialize, output=existing: into the value of the repetition before.
template <class Codec, class T>
struct DeserializeExisting {
    using Input = std::string;
    Codec codec{};
    MessageOf<Codec, T> message{};

    void run(const Input& encoded) {
        call::decode(codec, encoded, message);
        opaque(message);
    }

    std::string product(const Input& encoded) {
        run(encoded);
        return canonical::write<T>(Form<Codec, T>::shared(message));
    }
};

/// deserialize, output=owned: a new value each repetition, destroyed inside the clock.
template <class Codec, class T>
struct DeserializeOwned {
    using Input = std::string;
    Codec codec{};

    void run(const Input& encoded) {
        MessageOf<Codec, T> message{};
        call::decode(codec, encoded, message);
        opaque(message);
    }

    std::string product(const Input& encoded) {
        MessageOf<Codec, T> message{};
        call::decode(codec, encoded, message);
        return canonical::write<T>(Form<Codec, T>::shared(message));
    }
};

}  // namespace wirelab::step
