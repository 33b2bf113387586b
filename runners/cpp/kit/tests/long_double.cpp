// Elsewhere the kit has no such functions, and a long double may be a double.
#ifdef __linux__
#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <format>
#include <limits>

namespace {

long double opaque(long double number) {
    asm volatile("" : "+m"(number));
    return number;
}

/// What the compiler converts is what the program converts.
template <long double number>
void is_converted() {
    constexpr auto expected = static_cast<double>(number);
    CHECK(static_cast<double>(opaque(number)) == expected);
    CHECK(static_cast<double>(opaque(-number)) == -expected);
}

TEST_CASE("a long double is rounded to the nearest double") {
    is_converted<0.0L>();
    is_converted<1.0L>();
    is_converted<0.1L>();
    is_converted<1.0L + 0x1p-53L>();
    is_converted<1.0L + 0x1p-53L + 0x1p-63L>();
    is_converted<1.0L + 0x3p-53L>();
    is_converted<2.0L - 0x1p-54L>();
    is_converted<static_cast<long double>(DBL_MAX)>();
    is_converted<DBL_MAX + 0x1p969L>();
    is_converted<LDBL_MAX>();
    is_converted<static_cast<long double>(DBL_MIN)>();
    is_converted<DBL_MIN / 3.0L>();
    is_converted<DBL_MIN - 0x1p-1076L>();
    is_converted<0x1p-1074L>();
    is_converted<0x3p-1075L>();
    is_converted<0x1p-1075L>();
    is_converted<0x1.8p-1075L>();
    is_converted<0x1p-1076L>();
    is_converted<LDBL_MIN>();
    is_converted<std::numeric_limits<long double>::infinity()>();
    CHECK(std::signbit(static_cast<double>(opaque(-0.0L))));
}

TEST_CASE("a long double that is no number stays none") {
    const auto nan = opaque(std::numeric_limits<long double>::quiet_NaN());
    CHECK(std::isnan(nan));
    CHECK(std::isnan(static_cast<double>(nan)));
    CHECK(__builtin_isunordered(opaque(1.0L), nan));
    CHECK_FALSE(__builtin_isunordered(opaque(1.0L), opaque(std::numeric_limits<long double>::infinity())));
    CHECK(std::format("{}", nan) == "nan");
    CHECK(std::format("{}", opaque(1.5L)) == "1.5");
}

}  // namespace
#endif
