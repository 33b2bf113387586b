"""Every message with which the analysis stops, in one place: what was wrong, where, and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from bench.base.errors import LabError, bad_file, shortened
from bench.base.paths import brief


def no_published_table(path: Path, table: str, held: list[str]) -> LabError:
    """A scenario points at a published table that its file does not hold."""
    return bad_file(
        path, None, "", f"holds no table {table!r}; it holds: {', '.join(held) or 'none'}. Mend published.table."
    )


def bad_reference(reference: str) -> LabError:
    """A reference to a published table that is not FILE#TABLE."""
    return LabError(
        f"published.table {shortened(repr(reference))}: give FILE#TABLE, a file in analysis/published and its table."
    )


def unknown_publication(name: str, held: Sequence[str]) -> LabError:
    """A reference to a file that is none of the lab's own published tables; no other is opened."""
    return LabError(
        f"published.table: {shortened(repr(name))} is none of the lab's published tables: {', '.join(held)}. "
        "Use the lab that recorded the run, or restore its run.json."
    )


def no_published_row(path: Path, table: str, codec: str, row: str, held: list[str]) -> LabError:
    """A scenario names a row that the published table does not hold."""
    return bad_file(
        path,
        None,
        "",
        f"table {table!r} holds no row {row!r}, which published.rows names for {codec}; it holds: {', '.join(held)}.",
    )


def no_samples(path: Path) -> LabError:
    """A run in which nothing was measured, and nothing failed either."""
    return LabError(
        f"{brief(path)}: the run holds no sample and no error row. "
        f"`./lab bench --resume {brief(path)}` measures what its plan asks for."
    )


def no_whole_round(path: Path) -> LabError:
    """A run that was interrupted before its first round was whole."""
    return LabError(
        f"{brief(path)}: no round of any scenario is whole yet, so nothing can be compared. "
        f"`./lab bench --resume {brief(path)}` goes on with it."
    )


def foreign_line(path: Path, line: int, field: str, problem: str) -> LabError:
    """A line that decodes well but cannot come from this run's plan."""
    return bad_file(
        path, line, field, f"{problem}. The line is not of this run: restore the file, or record the run anew."
    )


def missing_samples(path: Path, line: int, found: int, expected: int) -> LabError:
    """A process that ended well, with fewer samples on file than it wrote."""
    problem = f"this process has {found} of its {expected} samples in samples.jsonl"
    return bad_file(path, line, "", f"{problem}. Restore that file, or record the run anew.")


def no_runs(folder: Path) -> LabError:
    """`lab results` without anything to publish."""
    return LabError(
        f"{brief(folder)} holds no run. Record one with `./lab bench --profile published --out {brief(folder)}/NAME`."
    )


def bad_markers(path: Path, begin: str, end: str) -> LabError:
    """A page without the two markers between which a table belongs."""
    return LabError(
        f"{brief(path)}: needs the line {begin} and after it the line {end}, each once; the table goes between."
    )


def no_such(name: str, what: str, held: Iterable[str]) -> str:
    """A name that leads nowhere, as the problem of a file; the nearest of those that there are come first."""
    known = [str(one) for one in held]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    ordered = [*near, *(one for one in known if one not in near)]
    return f"{name!r} is no {what}; there are: {', '.join(ordered) or 'none'}"


def not_mixable(field: str, run: str, value: str, other_run: str, other: str, where: str) -> LabError:
    """Two runs that no column may mix."""
    return LabError(
        f"{field}: {value!r} in {run}, but {other!r} in {other_run}, and both are of {where}. "
        "No column mixes these; give the runs of one kind only, and the others to a command of their own."
    )


def other_plan(field: str, run: str, value: str, other_run: str, other: str, platform: str) -> LabError:
    """Two shards that are not of one plan."""
    return LabError(
        f"{field}: {value!r} in {run}, but {other!r} in {other_run}: these are shards of different plans "
        f"on {platform}. "
        "Give the shards of one plan, or of several all; the others go to a command of their own."
    )


def bad_shard(run: str, text: str) -> LabError:
    """A run that says it is a shard, and not which."""
    return LabError(f"run.json of {run}: plan.shard: {text!r} is no shard; one is I/N with 1 ≤ I ≤ N, such as 1/4.")


def missing_shards(platform: str, seed: int, missing: Sequence[str]) -> str:
    """Shards that were not given, for a plan that is merged without them."""
    return (
        f"{platform}, seed {seed}: without {', '.join(missing)}. Their scenarios, if they have some, are not in the "
        "data set; give these runs too, or measure them with the same seed."
    )


def repeated_shard(platform: str, shard: str, runs: Sequence[str]) -> str:
    """A shard that was measured more than once."""
    return f"{platform}: shard {shard} was measured {len(runs)} times ({', '.join(runs)}); all their rounds count."


def one_or_two_runs() -> LabError:
    """`lab compare` with too few or too many runs."""
    return LabError("give two runs (`lab compare A B`), or one run and two codecs (`lab compare RUN --codecs A B`).")


def nothing_in_common(what: str, one: str, other: str, advice: str) -> LabError:
    """Two sides of a comparison that share no cell."""
    return LabError(f"{one} and {other} have no {what} in common, so there is nothing to compare. {advice}")


def bad_share(text: str) -> LabError:
    """A share that is no percentage."""
    return LabError(f"{text!r} is no share: give a percentage above 0, such as --fail-on 5%.")


def unknown_codec(codec: str, held: Iterable[str]) -> LabError:
    """A codec that the run does not hold."""
    return LabError(f"{no_such(codec, 'codec with a value in this run', held)}.")


def bad_condition(text: str, problem: str, known: Iterable[str]) -> LabError:
    """A filter of `lab rank` that says nothing."""
    return LabError(f"--only {text!r}: {problem}. Known: {', '.join(known)}.")


def nothing_to_rank(lacking: Iterable[str]) -> LabError:
    """No codec fits, or no scenario is common to all that do."""
    reasons = "; ".join(lacking)
    return LabError(
        f"no scenario that all selected codecs have{': ' + reasons if reasons else ', as no codec fits the filters'}. "
        "Leave codecs out with --not, or select fewer with -f and --only."
    )


def not_its_own(folder: Path, marker: str, what: str, command: str) -> LabError:
    """A command would write into a folder of something else."""
    return LabError(
        f"{brief(folder)} is not empty and holds no {what} (there is no {marker} in it). "
        f"Give a new or an empty folder with -o, or one that `lab {command}` wrote: that one is replaced."
    )


def run_inside(run: Path, folder: Path) -> LabError:
    """A folder that is to be replaced holds a run that is to be read."""
    return LabError(
        f"{brief(folder)} holds the run {brief(run)}, which would go with what is replaced. "
        "Give a folder with -o that holds no run."
    )


def file_of_run(file: Path, run: Path) -> LabError:
    """A command would write over what was recorded."""
    return LabError(f"{brief(file)} lies in the run {brief(run)} itself. Give a file outside of it with -o.")


def same_id(run: str, one: Path, other: Path) -> LabError:
    """Two different runs under one id."""
    return LabError(
        f"{brief(one)} and {brief(other)} both are run {run}, but not the same: one of them was changed or is not "
        "complete. Give only the right one."
    )


def no_exchanges(path: Path) -> LabError:
    """A run that says nothing of who reads whose bytes."""
    return LabError(
        f"{brief(path)} records no exchange of bytes: it is older than that, or no two of its codecs share a format. "
        "`./lab interop` without --run asks the codecs now."
    )
