#include "wirelab/protocol/arguments.hpp"

#include <CLI/CLI.hpp>

namespace wirelab::arguments {
namespace {

constexpr int usage = 64;

std::pair<std::string, std::string> condition(const std::string& text) {
    const auto place = text.find('=');
    if (place == std::string::npos) {
        throw CLI::ValidationError("--condition", "a condition has the form NAME=VALUE, like buffer=reused");
    }
    return {text.substr(0, place), text.substr(place + 1)};
}

/// A scenario or `--type any`, one of the two.
void add_type(CLI::App& command, std::optional<std::string>& scenario) {
    auto* of = command.add_option_group("of")->require_option(1);
    of->add_option("--scenario", scenario, "The scenario whose message type to use");
    of->add_option("--type", "Values without a message type, as lines of the lab's notation in place of canonical JSON")
        ->type_name("any")
        ->check(CLI::IsMember({"any"}));
}

}  // namespace

Command parse(int count, char** words) {
    CLI::App app{"A runner of Wirelab: one codec behind the lab's runner protocol."};
    app.require_subcommand(1);
    Encode encode;
    Decode decode;
    Measure measure;
    Canary canary;
    std::vector<std::string> conditions;

    auto* describing =
        app.add_subcommand("describe", "Print what this runner is and which cells it offers, as one JSON object");
    auto* encoding = app.add_subcommand("encode", "Encode canonical JSON from standard input to standard output");
    add_type(*encoding, encode.scenario);
    auto* decoding = app.add_subcommand("decode",
                                        "Decode bytes from standard input to canonical JSON on standard output.\n"
                                        "Malformed input ends with exit code 65, one line on standard error and "
                                        "nothing on standard output.");
    add_type(*decoding, decode.scenario);
    decoding->add_flag("--batch", decode.batch,
                       "Decode many messages, each behind its length as a little-endian u32; answer each with its exit "
                       "code as a byte, a length and what would have been printed");
    auto* measuring = app.add_subcommand("measure",
                                         "Time one cell and append a JSON line a sample to a file.\n"
                                         "A canary, a fixed piece of arithmetic, is timed before the first loop and "
                                         "after each. What the loops produce is made, and the samples are written, "
                                         "after the last.");
    measuring->add_option("--scenario", measure.scenario, "The scenario to measure")->required();
    measuring->add_option("--operation", measure.operation, "The operation to measure, as `describe` names it")
        ->required();
    measuring->add_option("--condition", conditions, "A condition of the cell; repeat it until one cell is left")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    measuring->add_option("--input", measure.input, "The scenario's canonical JSON")->type_name("FILE")->required();
    measuring->add_option("--work", measure.work, "An existing folder for the files of file operations")
        ->type_name("FOLDER")
        ->required();
    measuring
        ->add_option("--repetitions", measure.repetitions,
                     "Repetitions in each timed loop; with 0, the loop's frame alone is timed")
        ->type_name("N")
        ->required();
    measuring->add_option("--warmup", measure.warmup, "Repetitions before the first timed loop")
        ->type_name("W")
        ->required();
    measuring->add_option("--samples", measure.samples, "Timed loops")->type_name("M")->required();
    measuring->add_option("--out", measure.out, "The file to append the samples to")->type_name("FILE")->required();
    measuring
        ->add_option(
            "--offset", measure.offset,
            "Heap to take before preparing, so that all data lie that much further on: a multiple of 16. Large "
            "blocks, which malloc maps by itself (with glibc, from 128 KiB), do not move")
        ->type_name("BYTES");
    measuring
        ->add_option("--copy-canary", measure.copy_canary,
                     "Beside each canary, time a copy of so many bytes; with 0, none")
        ->type_name("BYTES");
    auto* watching = app.add_subcommand(
        "canary", "Time canaries alone and print them as one JSON object: how calm is this machine?");
    watching->add_option("--seconds", canary.seconds, "How long to go on")
        ->type_name("S")
        ->required()
        ->check(CLI::NonNegativeNumber);
    watching->add_option("--copy", canary.copy, "Beside each canary, time a copy of so many bytes")->type_name("BYTES");

    try {
        app.parse(count, words);
        for (const auto& text : conditions) {
            measure.conditions.push_back(condition(text));
        }
    } catch (const CLI::ParseError& error) {
        return Done{app.exit(error) == 0 ? 0 : usage};
    }
    if (*describing) {
        return Describe{};
    }
    if (*encoding) {
        return encode;
    }
    if (*decoding) {
        return decode;
    }
    if (*watching) {
        return canary;
    }
    return measure;
}

}  // namespace wirelab::arguments
