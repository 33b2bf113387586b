#include "wirelab/protocol/failure.hpp"

#include <format>

namespace wirelab {

Failure Failure::usage(std::string_view message) { return {64, std::string(message)}; }

Failure Failure::malformed(std::string_view command, std::string_view scenario, std::string_view message) {
    return {65, std::format("{} {}: {}", command, scenario, one_line(message))};
}

Failure Failure::memory(std::string_view command, std::string_view scenario, std::string_view message) {
    return {71, std::format("{} {}: {}", command, scenario, one_line(message))};
}

Failure Failure::input(std::string_view path, std::string_view reason) {
    return {66, std::format("cannot read the input {}: {}; give --input a file with the scenario's canonical JSON",
                            path, reason)};
}

Failure Failure::io(std::string_view what, std::string_view reason) {
    return {74,
            std::format("cannot {}: {}; check free disk space, permissions and the other end of a pipe", what, reason)};
}

Failure Failure::internal(std::string_view message) {
    return {70, std::format("internal error: {}; please report it with this command line", message)};
}

std::string one_line(std::string_view message) {
    std::string line;
    bool gap = false;
    for (const char character : message) {
        const auto byte = static_cast<unsigned char>(character);
        // What is quoted may be no UTF-8, and may hold the line ends of other alphabets.
        if (byte <= ' ' || byte >= 0x7f) {
            gap = !line.empty();
            continue;
        }
        if (gap) {
            line += ' ';
        }
        gap = false;
        line += character;
    }
    return line;
}

}  // namespace wirelab
