/// The cells that a runner offers, and how one is selected.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wirelab/measuring/workload.hpp"

namespace wirelab {

/// What makes two cells comparable, as names and values.
using Conditions = std::map<std::string, std::string>;

/// One thing that can be measured.
struct Cell {
    std::string scenario;
    std::string operation;
    Conditions conditions;
    /// Makes the cell ready from the canonical JSON of its scenario: one message, or a line for each of many. Null
    /// where the scenario is not measured.
    std::unique_ptr<Workload> (*prepare)(std::string_view json, bool rows);
    bool rows = false;

    /// The options that select this cell.
    std::string options() const;
};

/// The one cell that all the arguments describe. Conditions that do not tell cells apart may be left out. Throws
/// Failure, with the cells to choose from, where no cell or more than one is left.
const Cell& select(const std::vector<Cell>& cells, std::string_view scenario, std::string_view operation,
                   const std::vector<std::pair<std::string, std::string>>& conditions);

}  // namespace wirelab
