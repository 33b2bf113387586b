"""What a codec is built from, as one hash: whoever changes none of it is not built again.

A codec's inputs are its own folder, every file of its language that lies in no codec's folder, the compiler and the
settings. The hash decides which codecs a build tool is asked for; what of them is compiled, the tool decides.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from bench.base.paths import ROOT, RUNNERS


def inputs_of(
    language: str, folders: Iterable[Path], sources: Iterable[Path], common: Mapping[str, str]
) -> dict[str, str]:
    """Codec → SHA-256 of its inputs; `common` are settings that all of them share."""
    codecs = RUNNERS / language / "codecs"
    own: dict[Path, list[str]] = {}
    shared = [f"{name}={value}" for name, value in common.items()]
    for path in sources:
        line = f"{path.relative_to(ROOT).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        of = codecs / path.relative_to(codecs).parts[0] if path.is_relative_to(codecs) else None
        (shared if of is None else own.setdefault(of, [])).append(line)
    return {f"{language}/{folder.name}": digest([*shared, *own.get(folder, [])]) for folder in folders}


def digest(lines: Iterable[str]) -> str:
    """SHA-256 of lines."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
