"""`describe`: what a runner is and which cells it offers."""

import json
import platform
import shlex
import sys
import sysconfig

from wirelab_kit.commands.fidelity import probes_of
from wirelab_kit.measuring import canary
from wirelab_kit.measuring.cells import cells_of
from wirelab_kit.model.kind import Offer

PROTOCOL = 1
"""The version of the runner protocol."""


def describe(offer: Offer, name: str) -> str:
    """The description as one line of JSON."""
    codec = offer.codec
    description = {
        "protocol": PROTOCOL,
        "codec": name,
        "format": codec.format,
        "library": codec.library,
        "version": library_version(codec.library),
        "language": "python",
        "compiler": compiler(),
        "flags": flags(),
        "control": codec.control is not None,
        "role": codec.control and codec.control.role,
        "self_describing": codec.self_describing,
        "batch": codec.control is None,
        "any": ["decode", "encode"] if codec.schemaless else [],
        "probes": probes_of(codec),
        "canary": canary.NAME,
        "identical": dict(codec.identical),
        "cannot": dict(codec.cannot),
        "instead": dict(codec.instead),
        "cells": [
            {"scenario": cell.scenario, "operation": cell.operation, "conditions": cell.conditions}
            for cell in cells_of(offer)
        ],
    }
    return json.dumps(description) + "\n"


def library_version(library: str | None) -> str | None:
    """The installed version, which the driver compares with the lock file's."""
    if library is None:
        return None
    if library == "cpython":
        return platform.python_version()
    from importlib.metadata import version

    return version(library)


def compiler() -> str:
    """The interpreter, its build and the compiler that made it."""
    build = " ".join(part for part in platform.python_build() if part)
    return f"{platform.python_implementation()} {platform.python_version()} ({build}; {platform.python_compiler()})"


def flags() -> str:
    """The options that the interpreter was built with, without paths, and those that it was started with."""
    words = shlex.split(sysconfig.get_config_var("CONFIG_ARGS") or "")
    built = [
        word
        for word in words
        if word.startswith(("--enable-", "--with-", "--without-", "--disable-")) and "/" not in word
    ]
    if "--enable-optimizations" not in built:
        built.append("no profile-guided optimization")
    names = (("s", "no_user_site"), ("O", "optimize"), ("X dev", "dev_mode"))
    started = [f"-{flag}" for flag, name in names if getattr(sys.flags, name)]
    seed = "random" if sys.flags.hash_randomization else "0"
    lock = "without" if sysconfig.get_config_var("Py_GIL_DISABLED") else "with"
    return f"PYTHONHASHSEED={seed} {' '.join(started)}; {lock} GIL; built with {', '.join(built)}"
