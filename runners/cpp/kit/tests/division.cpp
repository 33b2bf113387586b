#include <doctest/doctest.h>

#include <cstdint>
#include <format>

namespace {

/// Not known to the compiler, so that it calls the function of the division.
template <class Number>
Number opaque(Number number) {
    asm volatile("" : "+m"(number));
    return number;
}

#ifdef __SIZEOF_INT128__
using Unsigned = unsigned __int128;
using Signed = __int128;

constexpr Unsigned most = ~Unsigned{0};
constexpr Unsigned high = Unsigned{1} << 127;

TEST_CASE("numbers of 128 bits are divided") {
    const Unsigned numbers[] = {
        0, 1, 2, 3, 10, 1'000'000'007, UINT64_MAX, Unsigned{UINT64_MAX} + 1, high - 1, high, high + 1, most - 1, most};
    for (const auto number : numbers) {
        for (const auto divisor : numbers) {
            if (divisor == 0) {
                continue;
            }
            const auto quotient = opaque(number) / opaque(divisor);
            const auto rest = opaque(number) % opaque(divisor);
            CHECK(rest < divisor);
            CHECK(quotient * divisor + rest == number);
            CHECK((quotient == 0 || divisor <= most / quotient));
        }
    }
}

TEST_CASE("a quotient of 128 bits is cut off towards zero") {
    CHECK(opaque(Signed{7}) / opaque(Signed{2}) == 3);
    CHECK(opaque(Signed{-7}) / opaque(Signed{2}) == -3);
    CHECK(opaque(Signed{7}) / opaque(Signed{-2}) == -3);
    CHECK(opaque(Signed{-7}) / opaque(Signed{-2}) == 3);
    CHECK(opaque(static_cast<Signed>(high)) / opaque(Signed{1}) == static_cast<Signed>(high));
}

TEST_CASE("numbers of 128 bits are formatted") {
    CHECK(std::format("{}", opaque(most)) == "340282366920938463463374607431768211455");
    CHECK(std::format("{}", opaque(static_cast<Signed>(high))) == "-170141183460469231731687303715884105728");
}
#endif

}  // namespace
