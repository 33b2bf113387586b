/// How native objects are packed, unpacked and copied: each member as flatc does it, and an option as what it holds.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace wirelab::flat {

template <class Part>
inline constexpr bool is_number = std::is_arithmetic_v<Part>;
template <class Part>
inline constexpr bool is_number<std::optional<Part>> = std::is_arithmetic_v<Part>;

template <class Part>
concept Number = is_number<Part>;

/// What a table stores of a member: a number, a struct behind a pointer, or the offset of anything else.
template <Number Part>
Part packed(flatbuffers::FlatBufferBuilder&, const Part& part) {
    return part;
}
inline auto packed(flatbuffers::FlatBufferBuilder& builder, const std::string& part) {
    return builder.CreateString(part);
}
template <class Object>
auto packed(flatbuffers::FlatBufferBuilder& builder, const std::unique_ptr<Object>& part) {
    if constexpr (requires { typename Object::TableType; }) {
        return part ? Object::TableType::Pack(builder, part.get()) : 0;
    } else {
        return static_cast<const Object*>(part.get());
    }
}
template <class Item>
auto packed(flatbuffers::FlatBufferBuilder& builder, const std::vector<Item>& part) {
    if constexpr (Number<Item>) {
        return builder.CreateVector(part);
    } else if constexpr (std::same_as<Item, std::string>) {
        return builder.CreateVectorOfStrings(part);
    } else if constexpr (requires(const Item& item) { packed(builder, item); }) {
        std::vector<decltype(packed(builder, part.front()))> offsets;
        offsets.reserve(part.size());
        for (const auto& item : part) {
            offsets.push_back(packed(builder, item));
        }
        return builder.CreateVector(offsets);
    } else {
        return builder.CreateVectorOfStructs(part);
    }
}
template <class Part>
    requires(!Number<Part>)
auto packed(flatbuffers::FlatBufferBuilder& builder, const std::optional<Part>& part) {
    return part ? packed(builder, *part) : decltype(packed(builder, *part)){};
}

/// Sets a member to what a table stores.
template <class Stored, Number Part>
void unpack(const Stored& stored, Part& part) {
    part = stored;
}
inline void unpack(const flatbuffers::String* stored, std::string& part) {
    part.assign(stored->c_str(), stored->size());
}
template <class Table, class Object>
void unpack(const Table* stored, std::unique_ptr<Object>& part) {
    if (!stored) {
        part.reset();
        return;
    }
    if constexpr (std::same_as<Table, Object>) {
        part = std::make_unique<Object>(*stored);
    } else {
        if (!part) {
            part = std::make_unique<Object>();
        }
        stored->UnPackTo(part.get());
    }
}
template <class Stored, class Item>
void unpack(const Stored* stored, std::vector<Item>& part) {
    part.resize(stored->size());
    for (flatbuffers::uoffset_t index = 0; index < stored->size(); ++index) {
        if constexpr (Number<Item>) {
            part[index] = stored->Get(index);
        } else if constexpr (requires { unpack(stored->Get(index), part[index]); }) {
            unpack(stored->Get(index), part[index]);
        } else {
            part[index] = *stored->Get(index);
        }
    }
}
template <class Stored, class Part>
    requires(!Number<Part>)
void unpack(const Stored* stored, std::optional<Part>& part) {
    if (stored) {
        unpack(stored, part ? *part : part.emplace());
    } else {
        part.reset();
    }
}

/// A member of a copied object.
template <class Part>
Part copied(const Part& part) {
    return part;
}
template <class Object>
std::unique_ptr<Object> copied(const std::unique_ptr<Object>& part) {
    return part ? std::make_unique<Object>(*part) : nullptr;
}
template <class Object>
std::vector<std::unique_ptr<Object>> copied(const std::vector<std::unique_ptr<Object>>& part) {
    std::vector<std::unique_ptr<Object>> all;
    all.reserve(part.size());
    for (const auto& item : part) {
        all.push_back(copied(item));
    }
    return all;
}
template <class Part>
std::optional<Part> copied(const std::optional<Part>& part) {
    return part ? std::optional(copied(*part)) : std::nullopt;
}

}  // namespace wirelab::flat
