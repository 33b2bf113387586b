"""Shards, the parts of one plan: what makes them so, and which are present or missing."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, zip_longest

from analysis.base import problems as errors
from bench.base.errors import LabError
from bench.measuring.order import shard_part
from bench.measuring.profiles import rounds_of
from bench.model.record import Run


def words(patterns: Sequence[str]) -> str:
    """The texts joined by spaces, or `none`."""
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
    ("plan.warmup", lambda run: str(run.plan.warmup)),
    ("plan.scope", lambda run: run.plan.scope.value),
    ("plan.cold", lambda run: str(run.plan.cold)),
    ("plan.sweeps", lambda run: str(run.plan.sweeps)),
    ("plan.layouts", lambda run: str(run.plan.layouts)),
    ("plan.most_layouts", lambda run: str(run.plan.most_layouts)),
    ("plan.total_budget_s", lambda run: str(run.plan.total_budget_s)),
    ("provenance.git_commit", lambda run: str(run.provenance.get("git_commit"))),
)
"""The settings that all shards of one plan share, and the lab that they are of."""


def check_shards(runs: Sequence[Run]) -> None:
    """Raises LabError, naming the field and both values, if shards of one platform belong to different plans.

    Several plans are allowed if all shards of each are present: they are then like several whole runs.
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
    """The shards among runs, without duplicates, grouped by plan and sorted by number."""
    plans: dict[tuple[str, ...], list[Run]] = {}
    for run in {run.id: run for run in runs if run.plan.shard}.values():
        plans.setdefault(tuple(value(run) for _, value in ASKED), []).append(run)
    return [sorted(plan, key=part_of) for plan in plans.values()]


def remarks(runs: Sequence[Run]) -> list[str]:
    """What a user must know about shards that are missing or repeated."""
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
    """The numbers of the missing shards."""
    given = {part_of(run)[0] for run in plan}
    return [number for number in range(1, part_of(plan[0])[1] + 1) if number not in given]


def _check_pair(one: Run, other: Run) -> None:
    """Raises LabError if two runs with equal settings still cannot be parts of one plan."""
    made, others = _rounds(one), _rounds(other)
    if made and others and not made & others:
        raise _other_plan("plan.rounds", (one, _rounds_text(one)), (other, _rounds_text(other)))
    runners, theirs = _builds_of_both(one, other)
    if runners != theirs:
        only = (words(sorted(runners - theirs)), words(sorted(theirs - runners)))
        raise _other_plan("provenance.compilers, what only one has", (one, only[0]), (other, only[1]))
    if not _dealt_out_together(one, other):
        names, more = (words(sorted(run.plan.rounds)) for run in (one, other))
        raise _other_plan("the scenarios in plan.rounds", (one, names), (other, more))


def _builds_of_both(one: Run, other: Run) -> tuple[set[str], set[str]]:
    """The builds that each run has of the codecs that both asked for: a shard asks for what its scenarios need."""
    built = [set(run.provenance.get("compilers", {})) for run in (one, other)]
    asked = [
        {name.partition(" ")[0] for name in names | set(run.provenance.get("unavailable", {}))}
        for names, run in zip(built, (one, other), strict=True)
    ]
    both = asked[0] & asked[1]
    mine, theirs = ({name for name in names if name.partition(" ")[0] in both} for names in built)
    return mine, theirs


def _other_plan(field: str, one: tuple[Run, str], other: tuple[Run, str]) -> LabError:
    """The error for two shards of different plans, each with its value of a field."""
    return errors.other_plan(
        field, run=one[0].id, value=one[1], other_run=other[0].id, other=other[1], platform=one[0].platform
    )


def _rounds(run: Run) -> set[int | None]:
    """The --rounds that a plan may have been made with; None stands for none; empty if the profile has changed."""
    own = {scenario.name: rounds_of(run.plan.profile, scenario) for scenario in run.scenarios}
    usual: set[int | None] = {None} if run.plan.rounds == own else set()
    return usual.union(run.plan.rounds.values()) if len(set(run.plan.rounds.values())) == 1 else usual


def _rounds_text(run: Run) -> str:
    made = _rounds(run)
    if None in made:
        return "the profile's"
    return words([f"{count} of {name}" for name, count in sorted(run.plan.rounds.items())])


def _dealt_out_together(one: Run, other: Run) -> bool:
    """Whether the scenarios of two shards, the lower number first, can come from dealing out one sorted list."""
    first, second = (sorted(run.plan.rounds) for run in (one, other))
    if part_of(one) == part_of(other):
        return first == second
    dealt = [name for pair in zip_longest(first, second) for name in pair if name is not None]
    return dealt == sorted(set(dealt)) and len(first) - len(second) in (0, 1)
