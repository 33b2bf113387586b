"""Shards: parts of one plan. What makes them so, which of them are there, and which are not."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, zip_longest

from analysis.base import problems as errors
from bench.base.errors import LabError
from bench.measuring.order import rounds_of, shard_part
from bench.model.record import Run


def words(patterns: Sequence[str]) -> str:
    """Filters as one text."""
    return " ".join(patterns) or "none"


def part_of(run: Run) -> tuple[int, int]:
    """I and N of a run that is the shard I/N. Raises LabError where run.json says something else."""
    text = run.plan.shard or ""
    if not (part := shard_part(text)):
        raise errors.bad_shard(run.id, text)
    return part


ASKED: tuple[tuple[str, Callable[[Run], str]], ...] = (
    ("plan.shard", lambda run: f"…/{part_of(run)[1]}"),
    ("plan.profile", lambda run: run.plan.profile.value),
    ("plan.seed", lambda run: str(run.plan.seed)),
    ("plan.filters", lambda run: words(run.plan.filters)),
    ("plan.excludes", lambda run: words(run.plan.excludes)),
    ("plan.base_rounds", lambda run: str(run.plan.base_rounds)),
    ("plan.samples", lambda run: str(run.plan.samples)),
    ("plan.warmup", lambda run: str(run.plan.warmup)),
    ("command", lambda run: words([option for option in ("--cold", "--sweep") if option in run.command])),
)
"""What the shards of one plan were asked for alike; of `command` what adds cells or scenarios."""


def check_shards(runs: Sequence[Run]) -> None:
    """Raises LabError, naming the field and both values, where shards of one platform are not those of one plan.

    Several plans may stand together where all shards of each are there: they are then as several whole runs.
    """
    plans = plans_of(runs)
    broken = [plan for plan in plans if _missing(plan)]
    for plan in broken if len(plans) > 1 else []:
        other = next(one for one in [*broken, *plans] if one is not plan)
        one, two = (known[0] for known in plans if known is plan or known is other)
        field, first, second = next((f, v(one), v(two)) for f, v in ASKED if v(one) != v(two))
        raise _other_plan(field, (one, first), (two, second))
    for plan in plans:
        for lower, higher in combinations(plan, 2):
            _check_pair(lower, higher)


def plans_of(runs: Iterable[Run]) -> list[list[Run]]:
    """The shards among runs, each once, by what they were asked for, and of each plan in the order of their numbers."""
    plans: dict[tuple[str, ...], list[Run]] = {}
    for run in {run.id: run for run in runs if run.plan.shard}.values():
        plans.setdefault(tuple(value(run) for _, value in ASKED), []).append(run)
    return [sorted(plan, key=part_of) for plan in plans.values()]


def remarks(runs: Sequence[Run]) -> list[str]:
    """What a user has to know of shards that are not there, or there more than once."""
    result = []
    for platform in sorted({run.platform for run in runs}):
        for plan in plans_of(run for run in runs if run.platform == platform):
            of, seed = part_of(plan[0])[1], plan[0].plan.seed
            if missing := _missing(plan):
                result.append(errors.missing_shards(platform, seed, [f"{i}/{of}" for i in missing]))
            for number in range(1, of + 1):
                same = [run.id for run in plan if part_of(run)[0] == number]
                if len(same) > 1:
                    result.append(errors.repeated_shard(platform, f"{number}/{of}", same))
    return result


def _missing(plan: Sequence[Run]) -> list[int]:
    """The numbers of the shards that are not there."""
    there = {part_of(run)[0] for run in plan}
    return [number for number in range(1, part_of(plan[0])[1] + 1) if number not in there]


def _check_pair(one: Run, other: Run) -> None:
    """Raises LabError where two runs that were asked for alike cannot be parts of one plan all the same."""
    made, others = _rounds(one), _rounds(other)
    if made and others and not made & others:
        raise _other_plan("plan.rounds", (one, _rounds_text(one)), (other, _rounds_text(other)))
    runners, theirs = (set(run.provenance.get("compilers", {})) for run in (one, other))
    if runners != theirs:
        only = (words(sorted(runners - theirs)), words(sorted(theirs - runners)))
        raise _other_plan("provenance.compilers, what only one has", (one, only[0]), (other, only[1]))
    if not _dealt_out_together(one, other):
        names, more = (words(sorted(run.plan.rounds)) for run in (one, other))
        raise _other_plan("the scenarios in plan.rounds", (one, names), (other, more))


def _other_plan(field: str, one: tuple[Run, str], other: tuple[Run, str]) -> LabError:
    """Two shards, each with its value of a field, that are not of one plan."""
    return errors.other_plan(
        field, run=one[0].id, value=one[1], other_run=other[0].id, other=other[1], platform=one[0].platform
    )


def _rounds(run: Run) -> set[int | None]:
    """With which --rounds a plan may have been made; None is without; nothing where a profile had others then."""
    own = {scenario.name: rounds_of(run.plan.profile, scenario) for scenario in run.scenarios}
    usual: set[int | None] = {None} if run.plan.rounds == own else set()
    return usual.union(run.plan.rounds.values()) if len(set(run.plan.rounds.values())) == 1 else usual


def _rounds_text(run: Run) -> str:
    made = _rounds(run)
    if None in made:
        return "the profile's"
    return words([f"{count} of {name}" for name, count in sorted(run.plan.rounds.items())])


def _dealt_out_together(one: Run, other: Run) -> bool:
    """Whether the scenarios of two shards, the first of the lower number, can be dealt out of one sorted list."""
    first, second = (sorted(run.plan.rounds) for run in (one, other))
    if part_of(one) == part_of(other):
        return first == second
    dealt = [name for pair in zip_longest(first, second) for name in pair if name is not None]
    return dealt == sorted(set(dealt)) and len(first) - len(second) in (0, 1)
