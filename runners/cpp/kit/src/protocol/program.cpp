#include "wirelab/protocol/program.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <format>
#include <fstream>
#include <new>
#include <sstream>

#include "wirelab/measuring/allocation.hpp"
#include "wirelab/measuring/canary.hpp"
#include "wirelab/measuring/chain.hpp"
#include "wirelab/measuring/checksum.hpp"
#include "wirelab/measuring/heap.hpp"
#include "wirelab/protocol/arguments.hpp"
#include "wirelab/protocol/failure.hpp"
#include "wirelab/protocol/report.hpp"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

namespace wirelab {
namespace {

/// What `decode` may allocate: these bytes, and so many times its input. A length that the input only claims must not
/// take the machine down.
constexpr std::size_t budget_bytes = std::size_t{64} << 20;
constexpr std::size_t budget_factor = 64;

void binary_streams() {
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
}

std::string read_stdin() {
    std::string bytes;
    char chunk[1 << 16];
    while (const auto count = std::fread(chunk, 1, sizeof chunk, stdin)) {
        bytes.append(chunk, count);
    }
    if (std::ferror(stdin)) {
        throw Failure::io("read standard input", std::strerror(errno));
    }
    return bytes;
}

void write_stdout(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
        throw Failure::io("write to standard output", std::strerror(errno));
    }
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream content;
    if (!file || !(content << file.rdbuf())) {
        throw Failure::input(path, std::strerror(errno));
    }
    return std::move(content).str();
}

const Transcoder& transcoder(const Program& program, const std::optional<std::string>& scenario) {
    if (!scenario) {
        if (!program.any) {
            throw Failure::usage("this codec has no values of type any; use --scenario");
        }
        return *program.any;
    }
    const auto found = std::ranges::find(program.transcoders, *scenario, &Transcoder::scenario);
    if (found != program.transcoders.end()) {
        return *found;
    }
    if (program.transcoders.empty()) {
        throw Failure::usage("a control has nothing to encode and decode; only measure it");
    }
    std::string names;
    for (const auto& known : program.transcoders) {
        names += (names.empty() ? "" : ", ") + known.scenario;
    }
    throw Failure::usage(std::format("no scenario {}; use one of {}", *scenario, names));
}

/// Decodes on a budget. Throws Failure.
std::string decode(const Program& program, const Transcoder& transcoder, std::string_view input) {
    const auto budget = budget_bytes + budget_factor * input.size();
    const auto refusal = Failure::memory(
        "decode", transcoder.scenario,
        std::format("more than {} bytes of memory are needed for {} bytes of input", budget, input.size()));
    allocation::limit(budget, std::format("{}: {}\n", program.about.codec, refusal.what()), refusal.exit_code());
    try {
        return transcoder.decode(input, transcoder.rows);
    } catch (const std::bad_alloc& error) {
        throw Failure::memory("decode", transcoder.scenario, error.what());
    } catch (const std::exception& error) {
        throw Failure::malformed("decode", transcoder.scenario, error.what());
    }
}

std::string u32(std::size_t number) {
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>((number >> shift) & 0xff);
    }
    return bytes;
}

/// Answers each message before it looks at the next, so that a crash belongs to the message without an answer.
void decode_batch(const Program& program, const Transcoder& transcoder, std::string_view input) {
    while (!input.empty()) {
        std::size_t length = 0;
        for (std::size_t index = 0; index < 4 && index < input.size(); ++index) {
            length |= std::size_t{static_cast<std::uint8_t>(input[index])} << (8 * index);
        }
        if (input.size() < 4 || input.size() - 4 < length) {
            throw Failure::malformed("decode", transcoder.scenario, "a frame claims more bytes than follow it");
        }
        std::string answer;
        char code = 0;
        try {
            answer = decode(program, transcoder, input.substr(4, length));
        } catch (const Failure& failure) {
            answer = std::format("{}: {}\n", program.about.codec, failure.what());
            code = static_cast<char>(failure.exit_code());
        }
        write_stdout(code + u32(answer.size()) + answer);
        input.remove_prefix(4 + length);
    }
}

void append(const std::string& path, const std::string& line) {
    // One write, so that a process that is killed leaves whole lines.
    std::FILE* out = std::fopen(path.c_str(), "ab");
    if (!out) {
        throw Failure::io("open " + path, std::strerror(errno));
    }
    const bool written = std::fwrite(line.data(), 1, line.size(), out) == line.size();
    if (std::fclose(out) != 0 || !written) {
        throw Failure::io("append to " + path, std::strerror(errno));
    }
}

/// Prepares the cell, warms up, and times a chain of `samples` loops; then makes the product, whose checksum stands in
/// every line, and writes all lines. The work outside of the timed loops does not depend on the number of repetitions,
/// so that the difference between two processes is that of their loops.
void measure(const Program& program, const arguments::Measure& asked) {
    const auto& cell = select(program.cells, asked.scenario, asked.operation, asked.conditions);
    if (!cell.prepare) {
        throw Failure::usage(std::format("{} is not measured; only encode and decode it", cell.scenario));
    }
    if (!std::filesystem::is_directory(asked.work)) {
        throw Failure::usage(std::format("--work {} is no folder; create it first", asked.work));
    }
    heap::keep();
    heap::shift(asked.offset);
    const auto json = read_file(asked.input);
    append(asked.out, "");
    try {
        const auto workload = cell.prepare(json, cell.rows);
        const auto allocated = workload->allocations();
        Canaries canaries(asked.copy_canary);
        workload->repeat(asked.warmup);
        const auto links = chain(*workload, canaries, asked.repetitions, asked.samples);
        Sample sample{
            .link = {},
            .repetitions = asked.repetitions,
            .encoded_bytes = workload->encoded_bytes,
            .checksum = checksum(workload->product()),
            .allocations = allocated ? std::optional(allocated->allocations) : std::nullopt,
            .allocated_bytes = allocated ? std::optional(allocated->allocated_bytes) : std::nullopt,
        };
        std::string lines;
        for (const auto& link : links) {
            sample.link = link;
            lines += sample_line(sample);
        }
        append(asked.out, lines);
    } catch (const Failure&) {
        throw;
    } catch (const std::bad_alloc& error) {
        throw Failure::memory("measure", cell.scenario, error.what());
    } catch (const std::exception& error) {
        throw Failure::malformed("measure", cell.scenario, error.what());
    }
}

/// Runs canaries for so many seconds, at least one, after one whose time is not kept.
void watch(const arguments::Canary& asked) {
    using Clock = std::chrono::steady_clock;
    Canaries canaries(asked.copy);
    canaries.run();
    std::vector<Canary> times;
    const auto start = Clock::now();
    do {
        times.push_back(canaries.run());
    } while (std::chrono::duration<double>(Clock::now() - start).count() < asked.seconds);
    write_stdout(canary_line(times));
}

struct Serve {
    const Program& program;

    int operator()(const arguments::Done& done) const { return done.exit_code; }

    int operator()(const arguments::Describe&) const {
        write_stdout(describe(program.about, program.cells));
        return 0;
    }

    int operator()(const arguments::Encode& asked) const {
        const auto& found = transcoder(program, asked.scenario);
        const auto json = read_stdin();
        try {
            write_stdout(found.encode(json, found.rows));
        } catch (const Failure&) {
            throw;
        } catch (const std::bad_alloc& error) {
            throw Failure::memory("encode", found.scenario, error.what());
        } catch (const std::exception& error) {
            throw Failure::malformed("encode", found.scenario, error.what());
        }
        return 0;
    }

    int operator()(const arguments::Decode& asked) const {
        const auto& found = transcoder(program, asked.scenario);
        const auto input = read_stdin();
        if (asked.batch) {
            decode_batch(program, found, input);
        } else {
            write_stdout(decode(program, found, input));
        }
        return 0;
    }

    int operator()(const arguments::Measure& asked) const {
        measure(program, asked);
        return 0;
    }

    int operator()(const arguments::Canary& asked) const {
        watch(asked);
        return 0;
    }
};

}  // namespace

int Program::run(int count, char** words) const {
    binary_streams();
    try {
        return std::visit(Serve{*this}, arguments::parse(count, words));
    } catch (const Failure& failure) {
        std::fputs(std::format("{}: {}\n", about.codec, failure.what()).c_str(), stderr);
        return failure.exit_code();
    } catch (const std::exception& error) {
        const auto failure = Failure::internal(error.what());
        std::fputs(std::format("{}: {}\n", about.codec, failure.what()).c_str(), stderr);
        return failure.exit_code();
    }
}

}  // namespace wirelab
