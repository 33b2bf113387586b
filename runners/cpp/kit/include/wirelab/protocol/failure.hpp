/// All that can go wrong in a runner, as the user reads it, and the exit code of each.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace wirelab {

/// Why a runner ends without doing what it was asked to. The text says what, where and what to do; the exit code is
/// that of BSD's sysexits.h.
class Failure : public std::runtime_error {
public:
    /// The command line asks for what this runner does not offer.
    static Failure usage(std::string_view message);
    /// Data does not have the form that it should have.
    static Failure malformed(std::string_view command, std::string_view scenario, std::string_view message);
    /// The library asks for more memory than data may take.
    static Failure memory(std::string_view command, std::string_view scenario, std::string_view message);
    /// An input file cannot be read.
    static Failure input(std::string_view path, std::string_view reason);
    /// A result cannot be written or standard input not be read.
    static Failure io(std::string_view what, std::string_view reason);
    /// The runner contradicts itself.
    static Failure internal(std::string_view message);

    int exit_code() const { return exit_code_; }

private:
    Failure(int exit_code, const std::string& message) : std::runtime_error(message), exit_code_(exit_code) {}

    int exit_code_;
};

/// Some libraries' messages have many lines, or quote what they read, but a report of a message is one line of text.
std::string one_line(std::string_view message);

}  // namespace wirelab
