/// The checksum of what an operation produced.
#pragma once

#include <string>
#include <string_view>

namespace wirelab {

/// CRC-32 with zlib's polynomial, in the form `crc32:89abcdef`.
std::string checksum(std::string_view bytes);

}  // namespace wirelab
