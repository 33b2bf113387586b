"""Where runs lie: every command that takes runs also takes a folder that holds them, at any depth.

Recorded results lie in `results/MACHINE/RUN/`. A machine's name says what decides times: the processor's model, its
family and model number, and the platform.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.base import errors
from bench.model.record import Run
from bench.records.run_file import holds_run

DEEPEST = 8
"""Folders below the given one that are looked into; results/MACHINE/RUN has two."""
MOST_ENTRIES = 100_000
"""Entries that are looked at below one folder; somebody who gives / by mistake gets a message soon."""
LONGEST_MODEL = 60
NUMBERS = {"family": "family", "model": "model_number"}
"""The numbers of a processor → where a run has them."""


def runs_below(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The run folders that `paths` are, or hold at any depth, each once, those of a folder by name.

    Links and hidden folders below are not followed, and nothing is looked for inside a run. Raises LabError where a
    path neither is a run nor holds one.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        held = [path] if holds_run(path) else [*_below(path)]
        if not held:
            raise errors.not_a_run(path)
        for run in held:
            found.setdefault(run.resolve(), run)
    return tuple(found.values())


def _below(path: Path) -> Iterator[Path]:
    looked_at, level = 0, [path]
    for _ in range(DEEPEST):
        deeper: list[Path] = []
        for folder in level:
            entries = _entries(folder)
            looked_at += len(entries)
            if looked_at > MOST_ENTRIES:
                raise errors.too_many_entries(path, MOST_ENTRIES)
            deeper += [folder / entry.name for entry in entries if _is_folder(entry)]
        yield from (folder for folder in deeper if holds_run(folder))
        level = [folder for folder in deeper if not holds_run(folder)]


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (NotADirectoryError, FileNotFoundError):
        return []
    except (OSError, ValueError) as error:
        raise errors.unreadable(folder, getattr(error, "strerror", None) or str(error)) from None


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)


def processor(run: Run) -> str:
    """The processor of a run as readers see it: `AMD EPYC (family 25, model 17)`.

    Many hypervisors report only the brand, and the numbers tell two models apart.
    """
    cpu = run.environment.get("cpu") or {}
    model = str(cpu.get("model", "unknown processor"))
    numbers = ", ".join(f"{name} {cpu[key]}" for name, key in NUMBERS.items() if isinstance(cpu.get(key), int))
    return f"{model} ({numbers})" if numbers else model


def machine_name(run: Run) -> str:
    """The machine of a run as the name of a folder: `intel-xeon-6-167-linux-x86_64`.

    Only letters, digits, `-` and `_` whatever the run says; what a run does not tell is left out.
    """
    cpu = run.environment.get("cpu") or {}
    model = re.sub(r"\((?:r|tm|c)\)|\bcpu\b|\bprocessor\b|@.*", " ", str(cpu.get("model") or "").lower())
    numbers = [str(cpu[key]) for key in NUMBERS.values() if isinstance(cpu.get(key), int)]
    return "-".join([_slug(model) or "unknown", *map(_slug, numbers), run.platform])


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text)[:LONGEST_MODEL].strip("-")
