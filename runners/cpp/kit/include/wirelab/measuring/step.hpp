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
    static constexpr bool makes_bytes = true;
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
    static constexpr bool makes_bytes = true;
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
    static constexpr bool makes_bytes = false;
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
    static constexpr bool makes_bytes = false;
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

/// build: the library's message from the shared one, destroyed inside the clock.
template <class Codec, class T>
struct Build {
    using Input = T;
    static constexpr bool makes_bytes = false;

    void run(const Input& value) {
        const auto message = call::build<Codec>(value);
        opaque(message);
    }

    std::string product(const Input& value) {
        return canonical::write<T>(Form<Codec, T>::shared(call::build<Codec>(value)));
    }
};

/// build+serialize, buffer=reused: the library's message from the shared one, encoded, and destroyed inside the clock.
template <class Codec, class T>
struct BuildSerialize {
    using Input = T;
    static constexpr bool makes_bytes = true;
    Codec codec{};
    typename Codec::Buffer buffer{};

    void run(const Input& value) {
        const auto message = call::build<Codec>(value);
        call::encode(codec, message, buffer);
        opaque(buffer);
    }

    std::string product(const Input& value) {
        run(value);
        return std::string(bytes_of<Codec>(buffer));
    }
};

/// access: each field of an encoded message is read in place, and no message made.
template <class Codec, class T>
struct Access {
    using Input = std::string;
    static constexpr bool makes_bytes = false;
    Codec codec{};

    void run(const Input& encoded) {
        const auto sum = call::access<Codec, T>(codec, encoded);
        opaque(sum);
    }

    std::string product(const Input& encoded) { return std::to_string(call::access<Codec, T>(codec, encoded)) + "\n"; }
};

}  // namespace wirelab::step
