#include "wirelab/report.hpp"

#include <format>
#include <glaze/json.hpp>

#include "wirelab/build.hpp"
#include "wirelab/failure.hpp"

namespace wirelab {
/// Not an anonymous namespace, of whose types Glaze cannot read the names.
namespace report {

/// The version of the runner protocol.
constexpr int protocol = 1;

struct OfferedCell {
    std::string scenario;
    std::string operation;
    Conditions conditions;
};

struct Description {
    int protocol;
    std::string_view codec;
    std::string_view format;
    std::optional<std::string_view> library;
    std::optional<std::string> version;
    std::string_view language;
    std::string_view compiler;
    std::string_view flags;
    bool control;
    bool self_describing;
    bool batch;
    std::vector<OfferedCell> cells;
};

template <auto Options>
std::string line(const auto& value) {
    std::string json;
    if (const auto error = glz::write<Options>(value, json)) {
        throw Failure::internal(glz::format_error(error, json));
    }
    return json + "\n";
}

}  // namespace report

std::string sample_line(const Sample& sample) { return report::line<glz::opts{}>(sample); }

std::string describe(const About& about, const std::vector<Cell>& cells) {
    report::Description description{
        .protocol = report::protocol,
        .codec = about.codec,
        .format = about.format,
        .library = about.library,
        .version = about.version,
        .language = "cpp",
        .compiler = WIRELAB_COMPILER,
        .flags = WIRELAB_FLAGS,
        .control = about.is_control(),
        .self_describing = about.self_describing,
        .batch = true,
        .cells = {},
    };
    for (const auto& cell : cells) {
        description.cells.push_back({cell.scenario, cell.operation, cell.conditions});
    }
    return report::line<glz::opts{.skip_null_members = false}>(description);
}

const Conditions& build_conditions() {
    static const Conditions conditions{{"compiler", WIRELAB_TOOLCHAIN}, {"build", WIRELAB_BUILD}};
    return conditions;
}

std::string version_text(unsigned major, unsigned minor, unsigned patch) {
    return std::format("{}.{}.{}", major, minor, patch);
}

}  // namespace wirelab
