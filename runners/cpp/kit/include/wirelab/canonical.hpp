/// Canonical JSON, in which values cross the boundary between a runner and the world.
#pragma once

#include <string>
#include <string_view>

namespace wirelab::canonical {

/// Reads the one value that `json` holds. Messages give the specializations. Throws Refused.
template <class T>
T read(std::string_view json);

/// The value and a line end. Numbers are their shortest decimal that reads back as the same value.
template <class T>
std::string write(const T& value);

}  // namespace wirelab::canonical
