"""Every error message of the analysis in one place: what is wrong, where, and what to do."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from analysis.base.groups import keys_by_value
from bench.base.errors import LabError, bad_file, shortened
from bench.base.paths import brief

SHOWN = 10
"""Problems of one run that are printed; the rest are counted."""


def no_published_table(path: Path, table: str, held: list[str]) -> LabError:
    """A scenario points at a published table that its file does not hold."""
    return bad_file(
        path, None, "", f"holds no table {table!r}; it holds: {', '.join(held) or 'none'}. Correct published.table."
    )


def bad_reference(reference: str) -> LabError:
    """A reference to a published table that is not FILE#TABLE."""
    return LabError(
        f"published.table {shortened(repr(reference))}: give FILE#TABLE, a file in analysis/published and its table."
    )


def unknown_publication(name: str, held: Sequence[str]) -> LabError:
    """A reference to a file that is not one of the lab's own published tables; no other file is opened."""
    return LabError(
        f"published.table: {shortened(repr(name))} is not one of the lab's published tables: {', '.join(held)}. "
        "Use the lab that recorded the run, or restore its run.json."
    )


def no_published_row(path: Path, table: str, codec: str, row: str, held: list[str]) -> LabError:
    """A scenario names a row that the published table does not hold."""
    return bad_file(
        path,
        None,
        "",
        f"table {table!r} holds no row {row!r}, which published.rows names for {codec}. It holds: {', '.join(held)}.",
    )


def no_samples(path: Path) -> LabError:
    """A run without samples and without error rows."""
    return LabError(
        f"{brief(path)}: the run holds no sample and no error row. "
        f"`./lab bench --resume {brief(path)}` executes its plan."
    )


def not_a_trial(path: Path) -> LabError:
    """A run that `lab try` did not record."""
    return LabError(f"{brief(path)} holds no data.json: it is no run of `lab try`, or one that was stopped early.")


def no_whole_round(path: Path) -> LabError:
    """A run that was interrupted before its first round was complete."""
    return LabError(
        f"{brief(path)}: no round of any scenario is complete yet, so nothing can be compared. "
        f"`./lab bench --resume {brief(path)}` continues it."
    )


def foreign_line(path: Path, line: int, field: str, problem: str) -> LabError:
    """A line that is well-formed but cannot come from this run's plan."""
    return bad_file(
        path,
        line,
        field,
        f"{problem}. The line does not belong to this run: restore the file, or record the run again.",
    )


def missing_samples(path: Path, line: int, found: int, expected: int) -> LabError:
    """A successful process with fewer samples on file than it wrote."""
    problem = f"this process has {found} of its {expected} samples in samples.jsonl"
    return bad_file(path, line, "", f"{problem}. Restore that file, or record the run again.")


def no_canaries(run: str) -> LabError:
    """A run without canaries, asked for what only calm loops can tell."""
    return LabError(
        f"{run} was recorded without canaries, so nothing tells its calm loops from disturbed ones. Record it again: "
        "`./lab bench`."
    )


def no_runs(folder: Path) -> LabError:
    """`lab results` without anything to publish."""
    return LabError(
        f"{brief(folder)} holds no run. Record one with `./lab bench --profile published --out {brief(folder)}/NAME`."
    )


def bad_markers(path: Path, begin: str, end: str) -> LabError:
    """A page that lacks the two markers around its table."""
    return LabError(
        f"{brief(path)}: needs the line {begin} and, below it, the line {end}, each exactly once; "
        "the table goes between them."
    )


def no_such_scenario(path: Path, name: str, held: Iterable[str]) -> LabError:
    """A table of a scenario that a run has not measured."""
    return LabError(f"{brief(path)}: {no_such(name, 'scenario with a whole round in this run', held)}.")


def no_such(name: str, what: str, held: Iterable[str]) -> str:
    """The message for a name that does not exist; similar names are listed first."""
    known = [str(one) for one in held]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    ordered = [*near, *(one for one in known if one not in near)]
    article = "an" if what[0] in "aeiou" else "a"
    return f"{name!r} is not {article} {what}; there are: {', '.join(ordered) or 'none'}"


def not_mixable(field: str, run: str, value: str, other_run: str, other: str, where: str) -> LabError:
    """Two runs that must not share a column."""
    return LabError(
        f"{field}: {value!r} in {run}, but {other!r} in {other_run}, and both belong to {where}. "
        "These cannot share a column: give runs of one kind, and the others in a separate command."
    )


def other_plan(field: str, run: str, value: str, other_run: str, other: str, platform: str) -> LabError:
    """Two shards of different plans."""
    return LabError(
        f"{field}: {value!r} in {run}, but {other!r} in {other_run}: these are shards of different plans "
        f"on {platform}. "
        "Give the shards of one plan, or all shards of several plans."
    )


def bad_shard(run: str, text: str) -> LabError:
    """A run that claims to be a shard, without a valid number."""
    return LabError(f"run.json of {run}: plan.shard: {text!r} is not a shard; write I/N with 1 ≤ I ≤ N, such as 1/4.")


def missing_shards(platform: str, seed: int, missing: Sequence[str]) -> str:
    """The shards missing from a plan that is merged without them."""
    return (
        f"{platform}, seed {seed}: shards {', '.join(missing)} are missing. Their scenarios, if any, are not in the "
        "data set; add these runs, or measure them with the same seed."
    )


def repeated_shard(platform: str, shard: str, runs: Sequence[str]) -> str:
    """A shard that was measured more than once."""
    return f"{platform}: shard {shard} was measured {len(runs)} times ({', '.join(runs)}); all rounds count."


def one_or_two_runs() -> LabError:
    """`lab compare` with too few or too many runs."""
    return LabError(
        "give two runs (`lab compare A B`), one run and two codecs (`lab compare RUN --codecs A B`), or two or more "
        "codecs (`lab compare LANGUAGE/NAME LANGUAGE/NAME`)."
    )


def options_of_codecs(option: str) -> LabError:
    """An option of `lab compare` that belongs to codecs, given with runs, or the reverse."""
    return LabError(
        f"{option}: --run and --scenario go with codecs alone (`lab compare LANGUAGE/NAME LANGUAGE/NAME`), the other "
        "options with runs. Leave it out."
    )


def codec_of_no_run(codec: str, held: Iterable[str]) -> LabError:
    """A codec that neither the lab's catalogue nor a run has."""
    return LabError(f"{no_such(codec, 'codec of the lab or of these runs', held)}.")


def scenario_without_codecs(scenario: str, held: Iterable[str]) -> LabError:
    """A scenario in which no run measured any of the codecs that are compared."""
    return LabError(f"--scenario: {no_such(scenario, 'scenario in which these codecs were measured', held)}.")


def nothing_in_common(what: str, one: str, other: str, advice: str) -> LabError:
    """Two sides of a comparison that share no cell."""
    return LabError(f"{one} and {other} have no {what} in common, so there is nothing to compare. {advice}")


def bad_share(text: str) -> LabError:
    """A share that is not a percentage."""
    return LabError(f"{text!r} is neither a percentage, such as --fail-on 5% or 0%, nor `times`.")


def bad_repository(text: str) -> LabError:
    """`lab report --repository` with something else."""
    return LabError(f"{text!r} is not the address of a repository: give one such as https://github.com/OWNER/wirelab.")


def counts_have_no_times() -> LabError:
    """`--fail-on times` on counts."""
    return LabError("--fail-on times compares two runs, and these are counts: give a percentage, such as --fail-on 1%.")


def counts_of_two_kinds(one: str, other: str, differences: Sequence[str]) -> LabError:
    """`--fail-on` with counts that depend on more than the runners."""
    return LabError(
        f"{one} and {other} were counted in different surroundings ({'; '.join(differences)}), so that their "
        "instructions cannot fail anything. Count both in one job: on one machine, in one checkout of the lab, with "
        "the same --mask."
    )


def nothing_timed(run: str) -> LabError:
    """Times are asked of a run that has none."""
    return LabError(f"{run} is untimed: it has no times. `./lab table {run}` shows its sizes and instructions.")


def without_times(run: str, profile: str) -> LabError:
    """A comparison of times with a run whose profile has none that mean anything."""
    if profile == "untimed":
        return LabError(f"{run} is untimed: it has no times to compare. `--counts` compares its instructions.")
    return LabError(f"{run} is a quick run, whose times mean nothing: measure both sides with `--profile standard`.")


def times_of_two_machines(one: str, other: str) -> LabError:
    """`--fail-on times` on runs of machines that differ."""
    return LabError(
        f"{one} and {other} were measured on different machines, so their times cannot fail anything. "
        "Measure both in one job, or compare what `lab count` counts: --fail-on 1%."
    )


def unknown_codec(codec: str, held: Iterable[str]) -> LabError:
    """A codec that the run does not hold."""
    return LabError(f"{no_such(codec, 'codec with a value in this run', held)}.")


def bad_condition(text: str, problem: str, known: Iterable[str]) -> LabError:
    """An invalid filter of `lab rank`."""
    return LabError(f"--only {text!r}: {problem}. Known: {', '.join(known)}.")


def nothing_to_rank(lacking: Iterable[str], conditions: Mapping[str, str]) -> LabError:
    """No codec matches the filters, or those that match share no scenario.

    `conditions`: scenario → the conditions of the cells that were looked for in it.
    """
    if reasons := "; ".join(lacking):
        return LabError(
            f"no scenario is common to all selected codecs: {reasons}. "
            "Exclude codecs with --not, or select fewer with -f and --only."
        )
    asked = "; ".join(f"{text} in {', '.join(names)}" for text, names in keys_by_value(conditions).items())
    return LabError(
        f"no codec matches the filters and has a cell at the conditions looked for ({asked}). "
        "Ask for other conditions with --only NAME=VALUE, or leave a filter out."
    )


def not_its_own(folder: Path, marker: str, what: str, command: str) -> LabError:
    """A command would overwrite a folder that it did not write."""
    return LabError(
        f"{brief(folder)} is not empty and holds no {what} (there is no {marker} in it). "
        f"With -o, give a new or empty folder, or one that `lab {command}` wrote, which is then replaced."
    )


def run_inside(run: Path, folder: Path) -> LabError:
    """A folder to be replaced holds a run to be read."""
    return LabError(
        f"{brief(folder)} holds the run {brief(run)}, which would be deleted with the rest. "
        "With -o, give a folder that holds no run."
    )


def file_of_run(file: Path, run: Path) -> LabError:
    """A command would overwrite a recorded file."""
    return LabError(f"{brief(file)} lies inside the run {brief(run)}. With -o, name a file outside the run.")


def same_id(run: str, one: Path, other: Path) -> LabError:
    """Two different runs under one id."""
    return LabError(
        f"{brief(one)} and {brief(other)} are both run {run} but differ: one of them was changed or is "
        "incomplete. Give only the right one."
    )


def no_exchanges(path: Path) -> LabError:
    """A run that did not record which codecs read each other's bytes."""
    return LabError(
        f"{brief(path)} records no exchange of bytes: it is older than this check, or no two of its codecs share a "
        "format. `./lab interop` without --run checks the codecs now."
    )


def own_data(path: Path) -> LabError:
    """A run of `lab try`, which holds the messages of whoever made it."""
    return LabError(
        f"{brief(path)} is a run of `lab try`, over data of your own, which nobody else can measure again. Submit runs "
        "of `lab bench`."
    )


def unfit_run(path: Path, problems: Sequence[str]) -> LabError:
    """A run that others should not rely on."""
    more = f"; and {len(problems) - SHOWN} more problems" if len(problems) > SHOWN else ""
    return LabError(f"{brief(path)} cannot be submitted: {'; '.join(problems[:SHOWN])}{more}")


def other_run_there(target: Path, source: Path) -> LabError:
    """A submission would replace another one."""
    return LabError(
        f"{brief(target)} is there already and holds something else than {brief(source)} would. If that folder is the "
        "wrong one, remove it; submitted runs are never replaced."
    )


def no_such_claim(text: str, known: Iterable[str]) -> LabError:
    """An argument of `lab claims` that is neither a run nor a claim."""
    names = list(known)
    near = get_close_matches(text, names, n=5, cutoff=0.5) or [one for one in names if text.lower() in one][:5]
    nearest = f"; the nearest: {', '.join(near)}" if near else ""
    return LabError(
        f"{shortened(repr(text))} is neither a folder nor the id of a claim{nearest}. "
        "`lab claims --all` lists every claim with its id, and `lab claims -f REGEX` those that match."
    )


def claim_of_several_platforms(text: str, ids: Iterable[str]) -> LabError:
    """The name of a claim that has an entry for each of several platforms."""
    return LabError(f"{text!r} is published for several platforms. Give one of: {', '.join(ids)}.")


def no_such_source(name: str, known: Iterable[str]) -> LabError:
    """A publication that has no file."""
    return LabError(f"--source: {no_such(name, 'publication in analysis/published', known)}.")


def no_finding(id_: str, held: Sequence[str]) -> LabError:
    """An id that no result holds."""
    close = get_close_matches(id_, held, n=3, cutoff=0.4)
    found = f"{len(held):,} findings, such as {', '.join(close or held[:3])}" if held else "none"
    return LabError(
        f"{shortened(repr(id_))} is not among the findings of the last `lab fuzz`, or of the runs given; they hold "
        f"{found}. Run `lab fuzz -f CODEC`, or name a run with --run."
    )


def withheld_finding(id_: str) -> LabError:
    """A finding whose input was left out of the recorded run."""
    return LabError(
        f"{id_} is withheld: recorded runs count it, without its input, until the library's authors have had time for "
        "it. `lab fuzz` with its codec and class finds it again."
    )


def bad_recipe(id_: str, problem: str) -> LabError:
    """A recipe of an input that the lab did not write."""
    return LabError(f"{id_}: the recipe of its input is damaged: {problem}. Run `lab fuzz` again.")


def no_document_sizes(filters: Sequence[str], excludes: Sequence[str]) -> LabError:
    """A selection without a published document and a codec that stands for its row."""
    given = " ".join([*(f"-f {one!r}" for one in filters), *(f"--not {one!r}" for one in excludes)])
    return LabError(
        f"no published document matches {given or 'no filter'}. Filters match `codec document`; `lab sizes --json` "
        "prints all of them."
    )
