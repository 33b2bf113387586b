/// Of `long double` with 128 bits, as aarch64 has it: what libc++'s `std::format` calls, here for the same reason as
/// the division of integers is (division.cpp). No runner formats such a number.

#if __LDBL_MANT_DIG__ == 113
#include <bit>
#include <cstdint>

namespace {

using Bits = unsigned __int128;

constexpr int fraction_bits = 112;
constexpr Bits one = Bits{1} << fraction_bits;
constexpr Bits sign = Bits{1} << 127;
constexpr int infinite = 0x7fff;
constexpr int infinite_double = 0x7ff;

bool is_nan(long double number) { return (std::bit_cast<Bits>(number) & ~sign) > Bits{infinite} << fraction_bits; }

/// The significand without its lowest bits, rounded to the nearest and between two to the even one.
std::uint64_t shifted(Bits significand, int bits) {
    const auto rest = significand & ((Bits{1} << bits) - 1);
    const auto half = Bits{1} << (bits - 1);
    const auto result = static_cast<std::uint64_t>(significand >> bits);
    return result + (rest > half || (rest == half && result % 2 == 1));
}

/// The bits of the nearest double of a positive number. A carry out of the fraction is the next exponent, as it should.
std::uint64_t nearest(Bits number) {
    const int exponent = static_cast<int>(number >> fraction_bits) - 0x3fff + 0x3ff;
    const auto fraction = number & (one - 1);
    constexpr int cut = fraction_bits - 52;
    if (exponent >= infinite_double) {
        return std::uint64_t{infinite_double} << 52;
    }
    if (exponent > 0) {
        return (static_cast<std::uint64_t>(exponent) << 52) + shifted(fraction, cut);
    }
    return exponent < -52 ? 0 : shifted(fraction | one, cut + 1 - exponent);
}

}  // namespace

// The compiler calls them by these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
int __unordtf2(long double left, long double right) { return is_nan(left) || is_nan(right); }

double __trunctfdf2(long double number) {
    const auto bits = std::bit_cast<Bits>(number);
    constexpr std::uint64_t quiet = 0xfff8'0000'0000'0000;
    return std::bit_cast<double>(
        is_nan(number) ? quiet : nearest(bits & ~sign) | static_cast<std::uint64_t>(bits >> 127) << 63);
}
}
// NOLINTEND(bugprone-reserved-identifier)
#endif
