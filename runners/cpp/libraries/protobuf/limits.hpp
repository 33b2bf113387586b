/// What is written in another shape than the type has.
#pragma once

#include "wirelab/codec.hpp"

namespace wirelab::generated {

inline constexpr Limit instead[] = {
    {"list-message", "a message around the list"},
    {"map", "a map whose entries are in the order of their keys (SetSerializationDeterministic)"},
    {"nested-list", "a message around each inner list"},
    {"option-in-list", "a message around each element"},
    {"tuple", "a message with a field an element"},
    {"u128", "the little-endian bytes"},
    {"wide-enum", "the number, as all enumerations"},
};

}  // namespace wirelab::generated
