"""What a counting keeps of the counts that its folder holds already. Pure functions.

Equal keys give equal digits, so a cell whose key is still the same is not counted again.
"""

from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import Struct

from bench.model.counts import Counted, CountedRunner, Counts, Key

CHANGED = {
    "sha256": "its program",
    "libc": "the C library",
    "valgrind": "valgrind",
    "features": "what the C library sees of the CPU",
    "tunables": "--mask",
    "interpreter": "its interpreter",
    "libraries": "its shared libraries",
    "keys": "the key pair",
}
"""What another value in a field of the key means."""
INPUT = "its input"
LATER_FIELDS = ("libraries",)
"""Fields that counts of earlier labs lack: there None says nothing."""


class Basis(Struct, frozen=True):
    """What the counts of a cell would depend on now."""

    key: Key | None
    """None where that cannot be told."""
    input_sha256: str


class Continued(Struct, frozen=True):
    """The recorded lines, sorted by what becomes of them."""

    kept: dict[str, Counted]
    """Cell → the line that stays."""
    anew: dict[str, list[str]]
    """What changed → the cells that are counted again."""
    retried: list[str]
    """Cells that could not be counted."""
    lost: list[str]
    """Cells that are not selected, and were counted with what counts.json would not name any more."""


def continued(
    before: Counts,
    lines: Iterable[Counted],
    head: Counts,
    cells: Iterable[str],
    now: Mapping[str, Basis],
    *,
    libcs: Collection[str] = (),
) -> Continued:
    """What becomes of the lines of an earlier counting.

    `before`: its head; `head`: that of the counting now; `cells`: the selected ones; `now`: what cells depend on,
    selected or not, as far as their programs are known; `libcs`: the C libraries that programs are linked with now, by
    which lines of other programs are judged. Empty: that is not known.
    """
    chosen, same = set(cells), surroundings(before) == surroundings(head)
    found = Continued({}, {}, [], [])
    for line in lines:
        other_libc = line.key is not None and libcs and line.key.libc not in libcs
        reason = changed(line, now[line.cell]) if line.cell in now else CHANGED["libc"] if other_libc else ""
        if line.cell not in chosen:
            if same and not reason:
                found.kept[line.cell] = line
            elif line.key is not None:
                found.lost.append(line.cell)
        elif line.key is None:
            found.retried.append(line.cell)
        elif reason:
            found.anew.setdefault(reason, []).append(line.cell)
        else:
            found.kept[line.cell] = line
    return found


def surroundings(head: Counts) -> tuple[object, ...]:
    """What a head says of all its lines."""
    return head.platform, head.cpu, head.valgrind, head.features, head.masked


def changed(line: Counted, now: Basis) -> str:
    """What changed since a line was counted; empty if nothing did, if it has no counts, or where there are none now."""
    if line.key is None or now.key is None:
        return ""
    fields = [text for field, text in CHANGED.items() if _differs(field, line.key, now.key)]
    inputs = [INPUT] if line.input_sha256 not in (None, now.input_sha256) else []
    return " and ".join(fields + inputs)


def _differs(field: str, before: Key, now: Key) -> bool:
    was = getattr(before, field)
    return bool(was != getattr(now, field)) and not (was is None and field in LATER_FIELDS)


def continued_head(before: Counts, head: Counts, kept: Iterable[Counted]) -> Counts:
    """The head of kept and new lines: the first one's identity, and what holds now.

    Lines of two commits are of no single tree, so they are marked as those of a changed one are. Programs of kept
    lines stay, and so do the times of their builds.
    """
    hashes = {line.key.sha256 for line in kept if line.key} if surroundings(before) == surroundings(head) else set()
    runners = [runner for runner in before.runners if runner.sha256 in hashes]
    same = (before.git_commit, before.git_dirty) == (head.git_commit, head.git_dirty)
    return msgspec.structs.replace(
        head,
        id=before.id,
        created=before.created,
        git_dirty=head.git_dirty if same else True,
        runners=runners,
    )


def with_earlier(runners: Iterable[CountedRunner], earlier: Iterable[CountedRunner]) -> list[CountedRunner]:
    """The programs, with the times of their builds that are known already."""
    known = {(one.name, one.sha256): one for one in earlier}
    found = []
    for runner in runners:
        one = known.get((runner.name, runner.sha256))
        timed = runner.compile_s is None and one is not None and one.compile_s is not None
        found.append(
            msgspec.structs.replace(runner, compile_s=one.compile_s, compile_jobs=one.compile_jobs)
            if one and timed
            else runner
        )
    return found


def beside(runners: Iterable[CountedRunner], earlier: Iterable[CountedRunner]) -> list[CountedRunner]:
    """The programs, and the earlier ones, sorted by name; a codec has one for each set of types."""
    found = {(one.name, one.sha256): one for one in [*earlier, *runners]}
    return [found[key] for key in sorted(found)]
