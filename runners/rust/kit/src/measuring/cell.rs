//! The cells that a runner offers, and how one is selected.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::failure::Failure;
use crate::measuring::prepare::Prepare;

/// The condition of cells whose bytes are compressed.
pub const COMPRESSION: &str = "compression";

/// The condition of cells that access some of a message's fields.
pub const FIELDS: &str = "fields";

/// Conditions whose absence tells cells apart: without them bytes are the codec's own, and every field is accessed.
const APART: [&str; 2] = [COMPRESSION, FIELDS];

/// What makes two cells comparable, as names and values.
pub type Conditions = BTreeMap<&'static str, &'static str>;

/// One thing that can be measured.
#[derive(Clone, Serialize)]
pub struct Cell {
    pub scenario: &'static str,
    pub operation: &'static str,
    pub conditions: Conditions,
    #[serde(skip)]
    pub rows: bool,
    #[serde(skip)]
    pub prepare: Prepare,
}

impl Cell {
    /// Whether the cell has all of the conditions. A compressed cell matches only if a condition names its compression,
    /// and one that accesses some fields only if a condition says which.
    fn has(&self, conditions: &[(String, String)]) -> bool {
        let named = |apart: &str| conditions.iter().any(|(name, _)| name == apart);
        APART
            .iter()
            .all(|apart| named(apart) == self.conditions.contains_key(apart))
            && conditions
                .iter()
                .all(|(name, value)| self.conditions.get(name.as_str()) == Some(&value.as_str()))
    }

    /// The options that select this cell.
    fn options(&self) -> String {
        let conditions = self
            .conditions
            .iter()
            .map(|(name, value)| format!(" --condition {name}={value}"))
            .collect::<String>();
        format!(
            "--scenario {} --operation {}{conditions}",
            self.scenario, self.operation
        )
    }
}

/// The one cell of `cells` that the arguments describe. Conditions that do not tell cells apart may be omitted.
///
/// # Errors
/// [`Failure::Usage`], with the cells to choose from, where no cell or more than one matches.
pub fn select<'c>(
    cells: &'c [Cell],
    scenario: &str,
    operation: &str,
    conditions: &[(String, String)],
) -> Result<&'c Cell, Failure> {
    let candidates: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.scenario == scenario && cell.operation == operation)
        .collect();
    let selected: Vec<&Cell> = candidates
        .iter()
        .copied()
        .filter(|cell| cell.has(conditions))
        .collect();
    match selected[..] {
        [cell] => Ok(cell),
        [] if candidates.is_empty() => Err(Failure::Usage(format!(
            "no cell has --scenario {scenario} --operation {operation}; use one of:{}",
            list(&cells.iter().collect::<Vec<_>>())
        ))),
        [] => Err(Failure::Usage(format!(
            "no cell has all of the conditions; use those of one of:{}",
            list(&candidates)
        ))),
        _ => Err(Failure::Usage(format!(
            "{} cells have all of the conditions; add conditions until one is left of:{}",
            selected.len(),
            list(&selected)
        ))),
    }
}

/// The options of each cell, on a line of its own.
fn list(cells: &[&Cell]) -> String {
    cells
        .iter()
        .map(|cell| format!("\n  {}", cell.options()))
        .collect()
}
