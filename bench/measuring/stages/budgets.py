"""How the time for measuring is shared by a run's scenarios: functions of plain values."""

from collections.abc import Mapping


def fitting(budget_s: float, least_s: Mapping[str, float]) -> list[str]:
    """The scenarios whose least rounds fit into a budget together: the longest are left out first, and one stays."""
    fit = sorted(least_s, key=lambda name: (least_s[name], name))
    while len(fit) > 1 and sum(least_s[name] for name in fit) > budget_s:
        fit.pop()
    return fit


def shares(budget_s: float, counts: Mapping[str, int], least_s: Mapping[str, float]) -> dict[str, float]:
    """Scenario → seconds: equal time for each cell, or what its least rounds take where that is longer."""
    longer = dict[str, float]()
    while True:
        others = {name: count for name, count in counts.items() if name not in longer}
        a_cell_s = (budget_s - sum(longer.values())) / max(1, sum(others.values()))
        more = {name: least_s[name] for name, count in others.items() if least_s.get(name, 0) > count * a_cell_s}
        if not more or len(more) == len(others):
            return longer | {name: round(count * a_cell_s, 3) for name, count in others.items()}
        longer |= more
