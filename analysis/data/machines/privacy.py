"""Names of people and computers in what a run recorded: replaced when it is packed, refused when it is checked.

A run tells commands, compilers' flags and errors, and these hold paths. A home folder, anybody's, becomes `~`; the
name of this user and of this computer become `USER` and `HOST`.
"""

import getpass
import json
import re
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from bench.model.record import Run

NAME = r"""[^/\\\s"'`:;,()<>|]+"""
HOMES = (
    rf"""(?:(?:/(?:mnt|cygdrive))?/[A-Za-z]/+Users/+{NAME}|/(?:(?:var|usr|export)/+)?(?:home|Users)/+{NAME}"""
    rf"""|/root(?![\w.-])|[A-Za-z]:(?:\\|/)+Users(?:\\|/)+{NAME})"""
)
HOME = re.compile(rf"(?<![\w.]){HOMES}")
"""A home folder on Linux, macOS or Windows, or one of Windows as other systems' shells name it."""
FLAGGED_HOME = re.compile(rf"(?<![\w.-])(-[A-Za-z]+){HOMES}")
"""One directly behind a compiler's flag: -I/home/…, -isystem/home/…"""
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
"""A string of JSON."""
COMMON = frozenset(
    (
        *("admin", "administrator", "build", "builder", "debian", "docker", "fedora", "guest", "home", "host"),
        *("linux", "localhost", "macos", "none", "nobody", "root", "runner", "runneradmin", "server", "test"),
        *("ubuntu", "user", "users", "windows", "workstation"),
    )
)
"""Names of users and computers that tell nothing of anybody."""
SHORTEST = 3
"""Names of fewer characters occur by chance and are kept."""


def own_names() -> dict[str, str]:
    """The name of this computer and of this user → what takes its place."""
    names: dict[str, str] = {}
    host = socket.gethostname()
    for name in (host, host.partition(".")[0]):
        names[name] = "HOST"
    with suppress(OSError, KeyError, ImportError):  # a user without an entry
        names[getpass.getuser()] = "USER"
    with suppress(RuntimeError):
        names[Path.home().name] = "USER"
    return names


def told_names(run: Run, names: Mapping[str, str]) -> dict[str, str]:
    """Those of the names that tell something: neither common, nor a word of the codecs, inputs, processor or system.

    Such a word stays wherever it stands, since replacing it would change what was measured.
    """
    cells = " ".join(f"{one.cell} {one.format} {one.library}" for one in run.plan.cells)
    machine = [run.environment.get(name) for name in ("cpu", "os", "virtualization")]
    kept = [cells, run.platform, json.dumps([*machine, run.provenance.get("toolchain")], ensure_ascii=False)]
    kept += [msgspec.json.encode(scenario).decode() for scenario in run.scenarios]
    known = set(re.findall(r"[a-z0-9]+", " ".join(kept).lower()))
    return {name: names[name] for name in _uncommon(names) if name.lower() not in known}


def kept_names(run: Run, names: Mapping[str, str]) -> list[str]:
    """The names that stay in a packed run: somebody's, but also words of what was measured."""
    told = told_names(run, names)
    return [name for name in _uncommon(names) if name not in told]


def without_names(text: str, names: Mapping[str, str]) -> str:
    """A text with `~`, `HOST` and `USER` where it named somebody."""
    for name, put in sorted(names.items(), key=lambda item: (-len(item[0]), item)):
        text = _word(name).sub(put, text)  # before home folders, since these end at a space and a name may hold one
    return HOME.sub("~", FLAGGED_HOME.sub(r"\1~", text))


def json_without_names(text: str, names: Mapping[str, str]) -> str:
    """JSON, or lines of it, with its strings freed of names; whatever names nobody stays byte for byte."""

    def freed(match: re.Match[str]) -> str:
        try:
            value = json.loads(match[0], strict=False)
        except ValueError:  # not JSON: whoever reads the file says so
            return match[0]
        clean = without_names(value, names)
        return match[0] if clean == value else json.dumps(clean, ensure_ascii=False)

    return STRING.sub(freed, text)


def names_in(texts: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """What of these texts names somebody, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for pattern in (HOME, FLAGGED_HOME, *map(_word, names)):
            found |= dict.fromkeys(match[0] for match in pattern.finditer(text))
    return [*found]


def strings_of(text: str) -> Iterable[str]:
    """The strings of JSON, decoded."""
    for match in STRING.finditer(text):
        with suppress(ValueError):
            yield str(json.loads(match[0], strict=False))


def _uncommon(names: Iterable[str]) -> list[str]:
    """The names that may tell of somebody, whatever was measured."""
    return [name for name in names if len(name) >= SHORTEST and name.lower() not in COMMON]


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", re.IGNORECASE)
