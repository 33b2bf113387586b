#include "wirelab/protocol/report.hpp"

#include <format>
#include <nlohmann/json.hpp>

#include "wirelab/build.hpp"

namespace wirelab {
namespace {

using Json = nlohmann::ordered_json;

/// The version of the runner protocol.
constexpr int protocol = 1;

Json role_name(std::optional<Role> role) {
    if (!role) {
        return nullptr;
    }
    return *role == Role::Copy ? "copy" : "nothing";
}

/// The value, or null.
template <class T>
Json nullable(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string sample_line(const Sample& sample) {
    Json line{
        {"wall_ns", sample.wall_ns},         {"cpu_ns", sample.cpu_ns},
        {"repetitions", sample.repetitions}, {"encoded_bytes", sample.encoded_bytes},
        {"checksum", sample.checksum},
    };
    if (sample.allocations) {
        line["allocations"] = *sample.allocations;
    }
    if (sample.allocated_bytes) {
        line["allocated_bytes"] = *sample.allocated_bytes;
    }
    return line.dump() + "\n";
}

std::string describe(const About& about, const std::vector<Cell>& cells) {
    auto offered = Json::array();
    for (const auto& cell : cells) {
        offered.push_back(
            {{"scenario", cell.scenario}, {"operation", cell.operation}, {"conditions", cell.conditions}});
    }
    const Json description{
        {"protocol", protocol},
        {"codec", about.codec},
        {"format", about.format},
        {"library", nullable(about.library)},
        {"version", nullable(about.version)},
        {"language", "cpp"},
        {"compiler", WIRELAB_COMPILER},
        {"flags", WIRELAB_FLAGS},
        {"control", about.is_control()},
        {"role", role_name(about.role)},
        {"self_describing", about.self_describing},
        {"batch", true},
        {"cells", std::move(offered)},
    };
    return description.dump() + "\n";
}

const Conditions& build_conditions() {
    static const Conditions conditions{{"compiler", WIRELAB_TOOLCHAIN}, {"build", WIRELAB_BUILD}};
    return conditions;
}

std::string version_text(unsigned major, unsigned minor, unsigned patch) {
    return std::format("{}.{}.{}", major, minor, patch);
}

}  // namespace wirelab
