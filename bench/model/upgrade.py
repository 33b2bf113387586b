"""Upgrades what an older lab recorded: run.json from record versions 1 to 3 to the current one, and titles of points.

Nothing is invented: what an older record does not say stays absent, except for facts that follow from it.
"""

from typing import Any

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.base.protocol import RECORD
from bench.model.scenario import title_of_point

OLD_ROLES = SCHEMAS / "old-control-roles.toml"
"""The roles of controls, by the last part of their names: runners did not report them before record version 2."""

OLD_IDENTICAL = SCHEMAS / "old-identical.toml"
"""The codecs of identical code, which runners did not report before record version 3."""


PROVED = {"rows_matched": "filtered-rows", "rows": "encoded-rows", "encoded_bytes": "encoded"}
"""Field of version 1 about a cell's product → its current kind; the first field present decides."""
ASKED_FOR = {"cold": "--cold", "sweeps": "--sweep"}
"""Field of the design → the option that stood for it in the command of older runs."""
OLD_FIELDS = ("form", "throughput", "operations")
"""Fields of a scenario's `published` that are now in the publication's own file."""


def upgraded(run: dict[str, Any]) -> dict[str, Any]:
    """A decoded run.json in the current record version. Parts of an unexpected type stay as they are."""
    version = run.get("record", 1)
    if version == 1:
        run = _from_1(run)
    if version in (1, 2):
        run = _from_2(run)
    for scenario in _dicts(run.get("scenarios")):
        if scenario.get("point") is True and isinstance(title := scenario.get("title"), str):
            scenario["title"] = title_of_point(title)
    return _from_3(run) if version in (1, 2, 3) else run


def _from_3(run: dict[str, Any]) -> dict[str, Any]:
    """Version 4 plans one scenario after the other; until then a run was proved, or not, as a whole."""
    kept = {name: value for name, value in run.items() if name not in ("stage", "draft")}
    if run.get("stage") == "drafted":
        design = run.get("draft")
        kept["plan"] = design
        if isinstance(design, dict):
            rounds = design.get("rounds")
            kept["pending"] = sorted(rounds) if isinstance(rounds, dict) else []
            kept["plan"] = design | {"cells": [], "twins": []}
    words, plan = run.get("command"), kept.get("plan")
    if isinstance(words, list) and isinstance(plan, dict):
        kept["plan"] = plan | {name: option in words for name, option in ASKED_FOR.items()}
    return kept | {"record": RECORD}


def _from_2(run: dict[str, Any]) -> dict[str, Any]:
    """Version 3 counts the loops of a process cell by cell, knows identical code, and has canaries and layouts."""
    identical = read_toml(OLD_IDENTICAL, dict[str, Any])["identical"]
    for name in ("plan", "draft"):
        design = run.get(name)
        loops = design.pop("samples", None) if isinstance(design, dict) else None
        for planned in _dicts(_inside(run, name, "cells")):
            if loops is not None and planned.get("state") == "timed":
                planned["loops"] = loops
            codec, operation = (_inside(planned, "cell", name) for name in ("codec", "operation"))
            if isinstance(codec, str) and isinstance(operation, str):
                planned["identical"] = identical.get(codec, {}).get(operation)
    return run | {"record": 3}


def _from_1(run: dict[str, Any]) -> dict[str, Any]:
    roles = read_toml(OLD_ROLES, dict[str, Any])["roles"]
    for scenario in _dicts(run.get("scenarios")):
        if isinstance(published := scenario.get("published"), dict):
            for name in OLD_FIELDS:
                published.pop(name, None)
    is_final = run.pop("ready", False)
    for planned in _dicts(_inside(run, "plan", "cells")):
        codec = _inside(planned, "cell", "codec")
        if planned.get("control") is True and isinstance(codec, str):
            planned["role"] = roles.get(codec.rpartition("/")[2])
        settled = _settled(planned)
        if is_final:
            planned.update(settled)
    if is_final:
        return run | {"record": 2, "stage": "planned"}
    recorded = {name: value for name, value in run.items() if name not in ("plan", "finished", "load_after")}
    return recorded | {"record": 2, "stage": "drafted"} | ({"draft": run["plan"]} if "plan" in run else {})


def _settled(planned: dict[str, Any]) -> dict[str, Any]:
    """Removes from a cell of version 1 what was settled after its draft, and returns that in the current form."""
    reason, known = planned.pop("blocked", None), planned.pop("known_failure", False)
    timing = {name: planned.pop(name, None) for name in ("repetitions", "estimate_ns")}
    proved = {name: planned.pop(name, None) for name in ("encoded_bytes", "checksum", "rows", "rows_matched")}
    if reason is not None:
        return {"state": "blocked", "blocked": reason, "known_failure": known}
    if timing["estimate_ns"] is None:  # `quick` has no pilot
        timing["estimate_ns"] = 0.0
    kind = next((kind for name, kind in PROVED.items() if proved[name] is not None), "unencoded")
    return {"state": "timed", **timing, "proved": {"kind": kind} | _given(proved if kind != "unencoded" else {})}


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _inside(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
