/// The bytes of a value's data, by the definition of the scenarios' `data_size_bytes`: numbers, booleans and
/// enumerations by their width, strings and lists with the shortest length that holds their count, an option with a
/// byte; of a message that is a list, the elements alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace wirelab {

/// The bytes of a length.
inline std::size_t prefix_size(std::size_t length) {
    return length < 0xff ? 1 : length < 0xffff ? 2 : length < 0xffff'ffff ? 4 : 8;
}

/// The parts of a value: by its width, unless an overload knows more; generated code has those of the structs.
struct DataSize {
    template <class T>
        requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
    std::size_t operator()(T) const {
        return sizeof(T);
    }
    std::size_t operator()(unsigned __int128) const { return 16; }
    std::size_t operator()(__int128) const { return 16; }
    std::size_t operator()(const std::string& text) const { return prefix_size(text.size()) + text.size(); }

    template <class T>
    std::size_t operator()(const std::vector<T>& items) const {
        return prefix_size(items.size()) + sum(items);
    }
    template <class T, std::size_t Count>
    std::size_t operator()(const std::array<T, Count>& items) const {
        return sum(items);
    }
    template <class T>
    std::size_t operator()(const std::map<std::string, T>& members) const {
        std::size_t total = prefix_size(members.size());
        for (const auto& [name, value] : members) {
            total += (*this)(name) + (*this)(value);
        }
        return total;
    }
    template <class T>
    std::size_t operator()(const std::optional<T>& value) const {
        return 1 + (value ? (*this)(*value) : 0);
    }
    template <class... T>
    std::size_t operator()(const std::tuple<T...>& items) const {
        return std::apply([&](const auto&... item) { return ((*this)(item) + ... + 0); }, items);
    }
    template <class T>
        requires requires(const T& value) { data_parts(value, std::declval<const DataSize&>()); }
    std::size_t operator()(const T& value) const {
        return data_parts(value, *this);
    }

    template <class Items>
    std::size_t sum(const Items& items) const {
        std::size_t total = 0;
        for (const auto& item : items) {
            total += (*this)(static_cast<const typename Items::value_type&>(item));  // std::vector<bool> gives no bools
        }
        return total;
    }
};

template <class T>
std::size_t data_size(const T& value) {
    return DataSize{}(value);
}

template <class T>
std::size_t data_size(const std::vector<T>& items) {
    return DataSize{}.sum(items);
}

}  // namespace wirelab
