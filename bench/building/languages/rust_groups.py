"""Which Rust codecs one call of Cargo may build: those that give each crate that they share the same features.

Cargo compiles a crate once for all packages of a call, with the features that any of them asks for. So a codec that
asks for more of a library would change what its neighbours measure. Codecs whose crates have the same features, those
of build scripts and macros too, get from one call what each would get alone, and what they share is compiled once.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from bench.base.files import write_json
from bench.base.programs import captured, streamed
from bench.base.supervision import side_by_side
from bench.building.languages.digests import digest

IN_PROGRAM, ANYWHERE = "--edges=normal,no-proc-macro", "--edges=normal,build"
"""What `cargo tree` shows: the crates of the program, and these with those of build scripts and macros."""


class Features(Struct, frozen=True):
    """What one package's crates are compiled with when it is built alone. Keys are crates with their versions."""

    in_program: dict[str, frozenset[str]]
    """Crate → its list of features in the program."""
    anywhere: dict[str, frozenset[str]]
    """Crate → all its lists of features: of the program, of build scripts and macros. They are two at most."""

    def agree(self, other: "Features") -> bool:
        """Whether every crate that both have is compiled alike: then a build of both gives each what it has alone.

        A crate with two lists has the same one in the program, and so the other one elsewhere.
        """
        return _agree(self.in_program, other.in_program) and _agree(self.anywhere, other.anywhere)

    def joined(self, other: "Features") -> "Features":
        """The crates of both, which agree."""
        return Features(self.in_program | other.in_program, self.anywhere | other.anywhere)


def _agree(one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]) -> bool:
    return all(one[crate] == other[crate] for crate in one.keys() & other.keys())


def groups(features: Mapping[str, Features | None]) -> Iterator[list[str]]:
    """The packages in their order, each in the first group that it agrees with; those of unknown features alone."""
    made: list[tuple[list[str], Features | None]] = []
    for package, own in features.items():
        for index, (packages, together) in enumerate(made):
            if own and together and own.agree(together):
                made[index] = [*packages, package], together.joined(own)
                break
        else:
            made.append(([package], own))
    yield from (packages for packages, _ in made)


class _Known(Struct, frozen=True):
    """What Cargo answered last."""

    of: str
    """SHA-256 of what it answered from."""
    features: dict[str, Features | None] = {}


def features_of(packages: Sequence[str], workspace: Path, known: Path) -> dict[str, Features | None]:
    """The features of each package, None where Cargo cannot tell; `known` is a file that keeps its answers."""
    read = [*sorted(workspace.rglob("Cargo.toml")), workspace / "Cargo.lock"]
    of = digest(f"{path} {path.read_text(encoding='utf-8')}" for path in read)
    before = _read(known)
    answers = before.features if before.of == of else {}
    if asked := [package for package in packages if package not in answers]:
        new = side_by_side(lambda package: _ask(package, workspace), asked)
        answers = answers | dict(zip(asked, new, strict=True))
        known.parent.mkdir(parents=True, exist_ok=True)
        write_json(known, _Known(of, {package: own for package, own in answers.items() if own}))
    return {package: answers[package] for package in packages}


def _read(known: Path) -> _Known:
    try:
        return msgspec.json.decode(known.read_bytes(), type=_Known)
    except (OSError, msgspec.MsgspecError):
        return _Known("")


def _ask(package: str, workspace: Path) -> Features | None:
    command = ["cargo", "tree", "--locked", "--prefix=none", "--format={p}\t{f}", "-p", package]
    done = [captured([*command, edges], cwd=workspace) for edges in (IN_PROGRAM, ANYWHERE)]
    return None if any(one.returncode for one in done) else Features(*(parsed(one.stdout) for one in done))


def parsed(tree: str) -> dict[str, frozenset[str]]:
    """What `cargo tree` prints: "CRATE vVERSION (proc-macro) (ORIGIN)", a tab, "FEATURE,FEATURE (*)" a line."""
    features: dict[str, frozenset[str]] = {}
    for line in filter(None, tree.splitlines()):
        crate, _, names = line.partition("\t")
        name = " ".join(crate.split()[:2])
        features[name] = features.get(name, frozenset()) | {names.removesuffix("(*)").strip()}
    return features


def linked(command: list[str], variables: dict[str, str], target: Path, workspace: Path) -> Iterator[str]:
    """Calls Cargo, and gives the name of each program as soon as it is linked, or is seen to be up to date."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)} | variables
    with streamed([*command, "--message-format=json"], cwd=workspace, env=environment) as lines:
        for line in lines:
            message = msgspec.json.decode(line, type=_Message)
            if message.executable:
                yield message.target["name"]


class _Message(Struct, frozen=True):
    """What is read of a line of `cargo build --message-format=json`."""

    target: dict[str, Any] = {}
    executable: str | None = None
