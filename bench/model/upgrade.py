"""Reading what an older lab recorded: run.json of record version 1 as one of today's.

Nothing is invented: what an older record does not say stays absent, but for facts that follow from it alone.
"""

from typing import Any

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.base.protocol import RECORD

OLD_ROLES = SCHEMAS / "old-control-roles.toml"
"""The roles of controls, by the last part of their names: runners did not say them before record version 2."""


OLD_FIELDS = ("form", "throughput", "operations")
"""What a scenario's `published` said of its table before the publication's own file did."""


def upgraded(run: dict[str, Any]) -> dict[str, Any]:
    """A decoded run.json as one of today's record version. Parts of an unexpected type stay as they are."""
    if run.get("record", 1) == 1:
        roles = read_toml(OLD_ROLES, dict[str, Any])["roles"]
        for planned in _dicts(_inside(run, "plan", "cells")):
            codec = _inside(planned, "cell", "codec")
            if planned.get("control") is True and isinstance(codec, str):
                planned["role"] = roles.get(codec.rpartition("/")[2])
        for scenario in _dicts(run.get("scenarios")):
            if isinstance(published := scenario.get("published"), dict):
                for name in OLD_FIELDS:
                    published.pop(name, None)
        run["record"] = RECORD
    return run


def _inside(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
