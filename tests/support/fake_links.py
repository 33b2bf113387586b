"""A linker for fakes: a layout is the fake's file with one more line, so that it has a hash of its own."""

from pathlib import Path

import msgspec

from bench.base.files import sha256_of
from bench.building.relink import LinkError
from bench.model.description import RunnerEntry
from tests.support.lab import FAKE


class FakeLinker:
    """Links into a folder. Some codecs cannot be linked; some layouts misbehave in one way."""

    def __init__(self, folder: Path, *, refuses: str = "", fails_at: int = 0, mischief: dict[int, str] | None = None):
        self.folder, self.refuses, self.fails_at, self.mischief = folder, refuses, fails_at, mischief or {}
        self.linked: list[tuple[str, int]] = []

    def can_link(self, entry: RunnerEntry) -> str | None:
        """A reason for the codec that refuses."""
        return "it is made of stone" if entry.codec == self.refuses else None

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """A copy of the fake."""
        self.linked.append((entry.codec, layout))
        if layout == self.fails_at:
            raise LinkError("the linker has lost its way")
        program = self.folder / f"{entry.codec.replace('/', '-')}-{layout}.py"
        program.write_text(f"{FAKE.read_text()}\n# {entry.codec} {layout}\n")
        *first, mischief = [str(program) if word == entry.program else word for word in entry.command]
        command = [*first, self.mischief.get(layout, mischief)]
        return msgspec.structs.replace(entry, command=command, program=str(program), sha256=sha256_of(program))
