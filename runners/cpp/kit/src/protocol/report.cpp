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

/// Adds a figure where there is one.
void add(Json& line, const char* name, const std::optional<std::uint64_t>& figure) {
    if (figure) {
        line[name] = *figure;
    }
}

}  // namespace

std::string sample_line(const Sample& sample) {
    const auto& [before, after, lap, involuntary_switches] = sample.link;
    Json line{
        {"wall_ns", lap.wall_ns},
        {"cpu_ns", lap.cpu_ns},
        {"repetitions", sample.repetitions},
        {"encoded_bytes", sample.encoded_bytes},
        {"checksum", sample.checksum},
        {"canary_before_ns", before.kernel_ns},
        {"canary_after_ns", after.kernel_ns},
    };
    add(line, "copy_before_ns", before.copy_ns);
    add(line, "copy_after_ns", after.copy_ns);
    add(line, "involuntary_switches", involuntary_switches);
    add(line, "allocations", sample.allocations);
    add(line, "allocated_bytes", sample.allocated_bytes);
    return line.dump() + "\n";
}

std::string canary_line(const std::vector<Canary>& canaries) {
    Json line{{"canary", canary::name()}, {"canary_ns", Json::array()}};
    for (const auto& canary : canaries) {
        line["canary_ns"].push_back(canary.kernel_ns);
        if (canary.copy_ns) {
            line["copy_ns"].push_back(*canary.copy_ns);
        }
    }
    return line.dump() + "\n";
}

std::string describe(const About& about, const std::vector<Cell>& cells) {
    auto offered = Json::array();
    for (const auto& cell : cells) {
        offered.push_back(
            {{"scenario", cell.scenario}, {"operation", cell.operation}, {"conditions", cell.conditions}});
    }
    auto identical = Json::object();
    for (const auto& [operation, codec] : about.identical) {
        identical[std::string(operation)] = codec;
    }
    const auto limits = [](const std::map<std::string_view, std::string_view>& features) {
        auto table = Json::object();
        for (const auto& [feature, reason] : features) {
            table[std::string(feature)] = reason;
        }
        return table;
    };
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
        {"any", about.any ? Json{"decode", "encode"} : Json::array()},
        {"batch", true},
        {"canary", canary::name()},
        {"identical", std::move(identical)},
        {"cannot", limits(about.cannot)},
        {"instead", limits(about.instead)},
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
