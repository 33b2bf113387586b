#include "wirelab/measuring/checksum.hpp"

#include <array>
#include <cstdint>
#include <format>

namespace wirelab {
namespace {

/// CRC-32/ISO-HDLC, the reflected polynomial, eight tables of one byte's remainder each ("slicing by 8", Kounavis and
/// Berry 2005), since a sample of 64 MiB has to be checked as well.
constexpr std::uint32_t polynomial = 0xEDB88320;

constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> all{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        auto remainder = byte;
        for (int bit = 0; bit < 8; ++bit) {
            remainder = (remainder >> 1) ^ ((remainder & 1) ? polynomial : 0);
        }
        all[0][byte] = remainder;
    }
    for (std::size_t slice = 1; slice < all.size(); ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const auto before = all[slice - 1][byte];
            all[slice][byte] = (before >> 8) ^ all[0][before & 0xff];
        }
    }
    return all;
}();

}  // namespace

std::string checksum(std::string_view bytes) {
    std::uint32_t crc = ~0u;
    const auto byte = [&](std::size_t place) { return static_cast<std::uint8_t>(bytes[place]); };
    std::size_t place = 0;
    for (; bytes.size() - place >= 8; place += 8) {
        std::uint32_t next = 0;
        for (std::size_t index = 0; index < 4; ++index) {
            next ^= tables[7 - index][((crc >> (8 * index)) & 0xff) ^ byte(place + index)];
            next ^= tables[3 - index][byte(place + 4 + index)];
        }
        crc = next;
    }
    for (; place < bytes.size(); ++place) {
        crc = (crc >> 8) ^ tables[0][(crc & 0xff) ^ byte(place)];
    }
    return std::format("crc32:{:08x}", ~crc);
}

}  // namespace wirelab
