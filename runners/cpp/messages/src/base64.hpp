/// Base64 of RFC 4648, with padding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wirelab/codec.hpp"

namespace wirelab::canonical {

inline constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t index = 0; index < bytes.size(); index += 3) {
        const auto count = std::min<std::size_t>(3, bytes.size() - index);
        std::uint32_t group = 0;
        for (std::size_t byte = 0; byte < 3; ++byte) {
            group = group << 8 | (byte < count ? bytes[index + byte] : 0u);
        }
        for (std::size_t digit = 0; digit < 4; ++digit) {
            text += digit <= count ? base64_digits[group >> (18 - 6 * digit) & 63] : '=';
        }
    }
    return text;
}

/// Throws Refused.
inline std::vector<std::uint8_t> from_base64(std::string_view text) {
    const auto padding = text.ends_with("==") ? 2u : text.ends_with('=') ? 1u : 0u;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    const auto digits = text.substr(0, text.size() - padding);
    for (std::size_t index = 0; index < digits.size(); ++index) {
        const auto value = base64_digits.find(digits[index]);
        if (value == base64_digits.npos) {
            throw Refused("a text is no base64");
        }
        group = group << 6 | static_cast<std::uint32_t>(value);
        if (const auto bits = 6 * (index % 4 + 1); index % 4 != 0) {
            bytes.push_back(static_cast<std::uint8_t>(group >> (bits % 8)));
        }
    }
    const auto unused = digits.size() % 4 == 2 ? 4u : digits.size() % 4 == 3 ? 2u : 0u;
    if (text.size() % 4 != 0 || (group & ((1u << unused) - 1)) != 0) {
        throw Refused("a text is no base64");
    }
    return bytes;
}

}  // namespace wirelab::canonical
