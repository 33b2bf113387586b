/// Inputs of many messages: lines of canonical JSON, and encoded messages behind their lengths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wirelab::rows {

/// The lines of a text, the last of which may end without a line feed; without `rows` the whole text.
std::vector<std::string_view> lines(std::string_view text, bool rows);

/// The messages behind their lengths; without `rows` all bytes. Throws Refused where a frame claims more than follows.
std::vector<std::string_view> messages(std::string_view bytes, bool rows);

/// Appends a message, behind its length where there are rows.
void append(std::string& to, std::string_view message, bool rows);

}  // namespace wirelab::rows
