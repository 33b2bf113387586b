/// Between single values of the plain structs and those of FlatBuffers' objects, and how the parts of a table are read.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wirelab/codec.hpp"

namespace wirelab::flat {

template <class T>
concept Enum = std::is_enum_v<T>;
template <class T>
concept Integer128 = std::same_as<T, unsigned __int128> || std::same_as<T, __int128>;

using Octets = std::vector<std::uint8_t>;

inline void has_length(std::size_t length, std::size_t wanted) {
    if (length != wanted) {
        throw Refused("a list has " + std::to_string(length) + " elements instead of " + std::to_string(wanted));
    }
}

/// The table of an encoded message, after the verifier has seen all of it. Throws Refused.
template <class Table>
const Table& verified(const std::string& encoded) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(encoded.data());
    if (!flatbuffers::Verifier(bytes, encoded.size()).VerifyBuffer<Table>()) {
        throw Refused("the verifier refuses the buffer");
    }
    return *flatbuffers::GetRoot<Table>(bytes);
}

/// A table that the format allows to leave out and the message does not.
template <class Object>
const Object& present(const std::unique_ptr<Object>& object) {
    if (!object) {
        throw Refused("a table is left out");
    }
    return *object;
}

/// Sets a part of an object.
template <class Value, class Part>
void put(const Value& value, Part& part);

template <class Value, class Part>
struct Put {
    static void run(const Value& value, Part& part) {
        if constexpr (Enum<Value>) {
            part = static_cast<Part>(value);
        } else if constexpr (requires { fill(part, value); }) {
            fill(part, value);
        } else {
            part = value;
        }
    }
};
template <class Value, class Object>
struct Put<Value, std::unique_ptr<Object>> {
    static void run(const Value& value, std::unique_ptr<Object>& part) {
        part = std::make_unique<Object>();
        fill(*part, value);
    }
};
template <Integer128 Value>
struct Put<Value, Octets> {
    static void run(Value value, Octets& part) {
        part.resize(16);
        for (std::size_t index = 0; index < 16; ++index) {
            part[index] = static_cast<std::uint8_t>(static_cast<unsigned __int128>(value) >> (8 * index));
        }
    }
};
template <class Items, class Part>
void put_each(const Items& items, std::vector<Part>& part) {
    part.clear();
    part.reserve(items.size());
    for (const auto& item : items) {
        if constexpr (std::same_as<Part, bool>) {
            part.push_back(item);
        } else {
            put(item, part.emplace_back());
        }
    }
}
template <class Item, class Part>
    requires(!std::same_as<Item, Part>)
struct Put<std::vector<Item>, std::vector<Part>> {
    static void run(const std::vector<Item>& items, std::vector<Part>& part) { put_each(items, part); }
};
template <class Item, std::size_t Count, class Part>
struct Put<std::array<Item, Count>, std::vector<Part>> {
    static void run(const std::array<Item, Count>& items, std::vector<Part>& part) { put_each(items, part); }
};
template <class Item, class Part>
struct Put<std::map<std::string, Item>, std::vector<Part>> {
    static void run(const std::map<std::string, Item>& items, std::vector<Part>& part) { put_each(items, part); }
};
template <class Item, class Object>
struct Put<std::optional<Item>, std::unique_ptr<Object>> {
    static void run(const std::optional<Item>& value, std::unique_ptr<Object>& part) {
        if constexpr (requires { fill(*part, value); }) {
            part = std::make_unique<Object>();
            fill(*part, value);
        } else if (value) {
            put(*value, part);
        }
    }
};
template <class Item, class Part>
struct Put<std::optional<Item>, std::optional<Part>> {
    static void run(const std::optional<Item>& value, std::optional<Part>& part) {
        if (value) {
            put(*value, part.emplace());
        }
    }
};

template <class Value, class Part>
void put(const Value& value, Part& part) {
    Put<Value, Part>::run(value, part);
}

/// The FlatBuffers struct of a value.
template <class Object, class Value>
Object filled(const Value& value) {
    Object object;
    fill(object, value);
    return object;
}

/// Reads a part of an object. Throws Refused where the plain type has no such value.
template <class Part, class Value>
void take(const Part& part, Value& value);

template <class Part, class Value>
struct Take {
    static void run(const Part& part, Value& value) {
        if constexpr (Enum<Value>) {
            value = static_cast<Value>(part);
        } else if constexpr (requires { read(part, value); }) {
            read(part, value);
        } else {
            value = part;
        }
    }
};
template <class Object, class Value>
struct Take<std::unique_ptr<Object>, Value> {
    static void run(const std::unique_ptr<Object>& part, Value& value) { read(present(part), value); }
};
template <class Object, class Value>
struct Take<std::unique_ptr<Object>, std::optional<Value>> {
    static void run(const std::unique_ptr<Object>& part, std::optional<Value>& value) {
        if constexpr (requires { read(*part, value); }) {
            read(present(part), value);
        } else {
            value.reset();
            if (part) {
                take(part, value.emplace());
            }
        }
    }
};
template <Integer128 Value>
struct Take<Octets, Value> {
    static void run(const Octets& part, Value& value) {
        has_length(part.size(), 16);
        unsigned __int128 number = 0;
        for (std::size_t index = 16; index-- > 0;) {
            number = number << 8 | part[index];
        }
        value = static_cast<Value>(number);
    }
};
template <class Part, class Item>
    requires(!std::same_as<Item, Part>)
struct Take<std::vector<Part>, std::vector<Item>> {
    static void run(const std::vector<Part>& part, std::vector<Item>& items) {
        items.clear();
        items.reserve(part.size());
        for (const auto& one : part) {
            Item item{};
            take(one, item);
            items.push_back(std::move(item));
        }
    }
};
template <class Part, class Item, std::size_t Count>
struct Take<std::vector<Part>, std::array<Item, Count>> {
    static void run(const std::vector<Part>& part, std::array<Item, Count>& items) {
        has_length(part.size(), Count);
        for (std::size_t index = 0; index < Count; ++index) {
            if constexpr (std::same_as<Part, bool>) {
                items[index] = part[index];
            } else {
                take(part[index], items[index]);
            }
        }
    }
};
template <class Part, class Item>
struct Take<std::vector<Part>, std::map<std::string, Item>> {
    static void run(const std::vector<Part>& part, std::map<std::string, Item>& items) {
        items.clear();
        for (const auto& one : part) {
            take(present(one).value, items[present(one).name]);
        }
    }
};
template <class Part, class Item>
struct Take<std::optional<Part>, std::optional<Item>> {
    static void run(const std::optional<Part>& part, std::optional<Item>& value) {
        value.reset();
        if (part) {
            take(*part, value.emplace());
        }
    }
};

template <class Part, class Value>
void take(const Part& part, Value& value) {
    Take<Part, Value>::run(part, value);
}

/// Says of which plain type a part of a table is.
template <class Plain>
struct As {};

template <class Plain>
inline constexpr bool is_octets = std::same_as<Plain, Octets>;
template <std::size_t Count>
inline constexpr bool is_octets<std::array<std::uint8_t, Count>> = true;

template <class Plain>
struct ItemOf;
template <class Item>
struct ItemOf<std::vector<Item>> {
    using Type = Item;
};
template <class Item, std::size_t Count>
struct ItemOf<std::array<Item, Count>> {
    using Type = Item;
};
template <class Item>
struct ItemOf<std::map<std::string, Item>> {
    using Type = std::pair<const std::string, Item>;
};

template <class Plain>
inline constexpr bool is_optional = false;
template <class Plain>
inline constexpr bool is_optional<std::optional<Plain>> = true;

/// The sum of a part of a table, read in place: of a text its length and its first byte, of a list its length and its
/// elements, of an option 0, or 1 and what it holds.
template <class Part, class Plain>
std::uint64_t sum(const Part& part, As<Plain>) {
    if constexpr (requires { sum_fields(part, As<Plain>{}); }) {
        return sum_fields(part, As<Plain>{});
    } else if constexpr (requires { sum_fields(*part, As<Plain>{}); }) {
        return sum_fields(*part, As<Plain>{});
    } else if constexpr (is_optional<Plain>) {
        if constexpr (std::is_pointer_v<Part>) {
            return part ? 1 + sum(part, As<typename Plain::value_type>{}) : 0;
        } else {
            return part ? 1 + sum(*part, As<typename Plain::value_type>{}) : 0;
        }
    } else if constexpr (std::same_as<Plain, std::string> || is_octets<Plain>) {
        return part->size() == 0 ? 0 : part->size() + static_cast<std::uint8_t>(*part->Data());
    } else if constexpr (Integer128<Plain>) {
        std::uint64_t folded = 0;
        for (flatbuffers::uoffset_t index = 0; index < part->size(); ++index) {
            folded ^= std::uint64_t{part->Get(index)} << (8 * (index % 8));
        }
        return folded;
    } else if constexpr (requires { typename ItemOf<Plain>::Type; }) {
        std::uint64_t total = part->size();
        for (flatbuffers::uoffset_t index = 0; index < part->size(); ++index) {
            total += sum(part->Get(index), As<typename ItemOf<Plain>::Type>{});
        }
        return total;
    } else if constexpr (std::floating_point<Part>) {
        return std::bit_cast<std::conditional_t<sizeof(Part) == 4, std::uint32_t, std::uint64_t>>(part);
    } else {
        return static_cast<std::uint64_t>(part);
    }
}

}  // namespace wirelab::flat
