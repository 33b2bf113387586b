/// A loop around a library's calls as one writes it by hand, with no kit: what the runners' numbers are held against.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "wirelab/canonical.hpp"
#include "wirelab/messages.hpp"

namespace plain {

/// The compiler has to have made it.
template <class T>
void keep(T& made) {
    asm volatile("" : : "r"(&made) : "memory");
}

template <class Work>
double nanoseconds(long repetitions, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    for (long repetition = 0; repetition < repetitions; ++repetition) {
        work();
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    return took.count() / static_cast<double>(repetitions);
}

/// `PROGRAM JSON OPERATION REPETITIONS`: prints the nanoseconds of one repetition, of a message of type T.
template <class T, class Buffer, class Encode, class Decode>
int run(char** words, Encode encode, Decode decode) {
    std::ifstream file(words[1]);
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    const auto value = wirelab::canonical::read<T>(json);
    const auto repetitions = std::atol(words[3]);
    Buffer buffer{};
    encode(value, buffer);
    if (std::string_view(words[2]) == "serialize") {
        std::printf("%.3f\n", nanoseconds(repetitions, [&] {
                        encode(value, buffer);
                        keep(buffer);
                    }));
    } else {
        const std::string encoded(buffer.data(), buffer.size());
        T decoded{};
        std::printf("%.3f\n", nanoseconds(repetitions, [&] {
                        decode(encoded, decoded);
                        keep(decoded);
                    }));
    }
    return 0;
}

/// Calls `run` for the message of the scenario that the file is named after.
template <class Buffer, class Encode, class Decode>
int main(int count, char** words, Encode encode, Decode decode) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s JSON serialize|deserialize REPETITIONS\n", words[0]);
        return 64;
    }
    if (std::string_view(words[1]).contains("array-f64")) {
        return run<wirelab::types::ArrayF64, Buffer>(words, encode, decode);
    }
    return run<wirelab::types::NestedObject, Buffer>(words, encode, decode);
}

}  // namespace plain
