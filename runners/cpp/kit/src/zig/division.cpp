/// Division of 128-bit integers, for programs that zig links on Linux.
///
/// libc++ calls it in `std::format` and for the file times of `std::filesystem`. zig has it in its compiler_rt: one
/// object, which is linked whole and also defines memcpy, memmove, memset, memcmp and strlen. A runner would then
/// measure those, where a program of the same library that formats nothing calls the C library's. With the functions
/// below, nothing takes compiler_rt in; tests/runners/test_cpp_kit.py checks that.
///
/// One bit at a time, which is slow: no measured library divides such numbers.

namespace {

using Unsigned = unsigned __int128;
using Signed = __int128;

struct Division {
    Unsigned quotient = 0;
    Unsigned rest = 0;
};

Division divide(Unsigned number, Unsigned divisor) {
    Division done;
    for (int bit = 127; bit >= 0; --bit) {
        const bool carry = done.rest >> 127;
        done.rest = done.rest << 1 | (number >> bit & 1);
        done.quotient <<= 1;
        if (carry || done.rest >= divisor) {
            done.rest -= divisor;
            done.quotient |= 1;
        }
    }
    return done;
}

Unsigned magnitude(Signed number) {
    return number < 0 ? -static_cast<Unsigned>(number) : static_cast<Unsigned>(number);
}

}  // namespace

// The compiler calls them by these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
Unsigned __udivti3(Unsigned number, Unsigned divisor) { return divide(number, divisor).quotient; }

Unsigned __umodti3(Unsigned number, Unsigned divisor) { return divide(number, divisor).rest; }

Signed __divti3(Signed number, Signed divisor) {
    const auto quotient = divide(magnitude(number), magnitude(divisor)).quotient;
    return static_cast<Signed>((number < 0) == (divisor < 0) ? quotient : -quotient);
}
}
// NOLINTEND(bugprone-reserved-identifier)
