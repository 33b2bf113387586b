#include "wirelab/rows.hpp"

#include <cstdint>

#include "wirelab/codec.hpp"

namespace wirelab::rows {
namespace {

constexpr std::size_t frame = 4;

}  // namespace

std::vector<std::string_view> lines(std::string_view text, bool rows) {
    if (!rows) {
        return {text};
    }
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const auto end = text.find('\n');
        found.push_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return found;
}

std::vector<std::string_view> messages(std::string_view bytes, bool rows) {
    if (!rows) {
        return {bytes};
    }
    std::vector<std::string_view> found;
    while (!bytes.empty()) {
        std::size_t length = 0;
        for (std::size_t index = 0; index < frame && index < bytes.size(); ++index) {
            length |= std::size_t{static_cast<std::uint8_t>(bytes[index])} << (8 * index);
        }
        if (bytes.size() < frame || bytes.size() - frame < length) {
            throw Refused("a frame claims more bytes than follow it");
        }
        found.push_back(bytes.substr(frame, length));
        bytes.remove_prefix(frame + length);
    }
    return found;
}

void append(std::string& to, std::string_view message, bool rows) {
    for (unsigned shift = 0; rows && shift < 8 * frame; shift += 8) {
        to += static_cast<char>(message.size() >> shift & 0xff);
    }
    to += message;
}

}  // namespace wirelab::rows
