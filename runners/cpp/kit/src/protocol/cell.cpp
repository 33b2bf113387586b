#include "wirelab/protocol/cell.hpp"

#include <algorithm>
#include <format>

#include "wirelab/protocol/failure.hpp"

namespace wirelab {
namespace {

/// The options of each cell, on a line of its own.
std::string list(const std::vector<const Cell*>& cells) {
    std::string lines;
    for (const auto* cell : cells) {
        lines += "\n  " + cell->options();
    }
    return lines;
}

}  // namespace

std::string Cell::options() const {
    auto text = std::format("--scenario {} --operation {}", scenario, operation);
    for (const auto& [name, value] : conditions) {
        text += std::format(" --condition {}={}", name, value);
    }
    return text;
}

const Cell& select(const std::vector<Cell>& cells, std::string_view scenario, std::string_view operation,
                   const std::vector<std::pair<std::string, std::string>>& conditions) {
    std::vector<const Cell*> all, candidates, selected;
    for (const auto& cell : cells) {
        all.push_back(&cell);
        if (cell.scenario != scenario || cell.operation != operation) {
            continue;
        }
        candidates.push_back(&cell);
        const auto has = [&](const auto& wanted) {
            const auto found = cell.conditions.find(wanted.first);
            return found != cell.conditions.end() && found->second == wanted.second;
        };
        if (std::ranges::all_of(conditions, has)) {
            selected.push_back(&cell);
        }
    }
    if (candidates.empty()) {
        throw Failure::usage(
            std::format("no cell has --scenario {} --operation {}; use one of:{}", scenario, operation, list(all)));
    }
    if (selected.empty()) {
        throw Failure::usage(
            std::format("no cell has all of the conditions; use those of one of:{}", list(candidates)));
    }
    if (selected.size() > 1) {
        throw Failure::usage(std::format("{} cells have all of the conditions; add conditions until one is left of:{}",
                                         selected.size(), list(selected)));
    }
    return *selected.front();
}

}  // namespace wirelab
