"""The builds that labs make on request only."""

from bench.model.cells import Conditions


def build_options(conditions: Conditions) -> str:
    """The options of `lab build` for a build that is made on request only; empty for the usual one."""
    options = []
    if conditions.compiler not in (None, "zig"):
        options.append(f"--toolchain zig,{conditions.compiler}")
    if conditions.build == "as-published":
        options.append("--as-published")
    elif conditions.build not in (None, "baseline"):
        options.append(f"--cpu {conditions.build}")
    return " ".join(options)
