/// What is written in another shape than the type has.
#pragma once

#include "wirelab/codec.hpp"

namespace wirelab::shaped {

inline constexpr Limit instead[] = {
    {"list-message", "a message around the list"},       {"nested-list", "a message around each inner list"},
    {"option", "a repeated field of at most one value"}, {"option-in-list", "a message around each element"},
    {"tuple", "a message with a field an element"},      {"u128", "the little-endian bytes"},
    {"wide-enum", "the number, as all enumerations"},
};

}  // namespace wirelab::shaped
