/// What is written in another shape than the type has.
#pragma once

#include "wirelab/codec.hpp"

namespace wirelab::flat {

inline constexpr Limit instead[] = {
    {"list-message", "a table around the list"},
    {"map", "a vector of tables with key and value"},
    {"nested-list", "a table around each inner list"},
    {"option-in-list", "a table around each element"},
    {"tuple", "a table with a field an element, or a struct of numbers"},
    {"u128", "a vector of the little-endian bytes"},
};

}  // namespace wirelab::flat
