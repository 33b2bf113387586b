"""`lab merge`: everything is kept, nothing that no column may mix is mixed, and the order of runs does not matter."""

import hashlib
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from analysis.commands.merge import merge as command
from analysis.data import lines as reading
from analysis.data import merge as merging
from analysis.data.cells import read_cells
from analysis.data.comparable import check_mixable
from analysis.data.inference import time_of
from analysis.data.machines.run_paths import machine_name
from analysis.data.merge import merge
from analysis.data.merged import Merged
from analysis.render.schemas import SCHEMAS
from bench.base.errors import LabError
from bench.base.files import read_json, write_json
from bench.measuring.profiles import rounds_of
from bench.model.plan import Profile, Scope
from bench.model.record import Run
from bench.records.run_file import read_run
from tests.support.recorded.calm_run import CalmMade
from tests.support.recorded.large_run import write_runs
from tests.support.synthetic_run import BOTH, DESER, SER, Made, usual


def made(path: Path, run: Made, **changes: object) -> Path:
    """A run folder, with changes of run.json."""
    run.write(path)
    change(path, lambda run: msgspec.structs.replace(run, **{"id": path.name, **changes}))
    return path


def change(path: Path, how: Callable[[Run], Run]) -> None:
    """Changes the run.json of a run."""
    write_json(path / "run.json", how(read_json(path / "run.json", Run)))


def digests(folder: Path) -> dict[str, str]:
    """Every file of a folder with its SHA-256."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Two shards of Linux, one run of macOS, one that was broken off."""
    mac = {"platform": "macos-aarch64", "created": "2025-02-01T00:00:00+00:00", "environment": {"cpu": {"model": "M"}}}
    broken = usual()
    broken.until = 250
    return [
        made(tmp_path / "events", usual()),
        made(tmp_path / "points", Made("point").codec("rust/postcard", {SER: 3, DESER: 2, BOTH: 6})),
        made(tmp_path / "mac", usual(), **mac),
        made(tmp_path / "broken", broken, **mac),
    ]


def test_the_same_runs_in_any_order_give_the_same_bytes(shards: list[Path], tmp_path: Path) -> None:
    found = [
        digests_of(order, tmp_path / str(number))
        for number, order in enumerate(itertools.islice(itertools.permutations(shards), 0, 24, 7))
    ]
    found.append(digests_of([*shards, shards[0]], tmp_path / "twice"))
    assert all(one == found[0] for one in found)
    assert "samples/platform=macos-aarch64/month=2025-02/mac-000.parquet" in found[0]


def digests_of(runs: "list[Path] | tuple[Path, ...]", folder: Path) -> dict[str, str]:
    merge(list(runs), folder)
    return digests(folder)


def test_every_line_is_kept(shards: list[Path], tmp_path: Path) -> None:
    merged = merge(shards, tmp_path / "out")
    for kind in ("samples", "processes"):
        lines = [json.loads(line) for path in shards for line in (path / f"{kind}.jsonl").read_text().splitlines()]
        frame = pl.read_parquet(tmp_path / "out" / kind, hive_partitioning=True)
        assert len(frame) == len(lines)
        assert set(frame["platform"]) == {"linux-x86_64", "macos-aarch64"}
        key = "wall_ns" if kind == "samples" else "loop_ns"
        assert sorted(frame[key].to_list()) == sorted(line[key] for line in lines)
        names = frame.select(pl.concat_str("codec", "scenario", "operation", "conditions", separator=" ")).to_series()
        assert sorted(names) == sorted(line["cell"] for line in lines)
    assert merged.samples == sum(run.samples for run in merged.runs)


def test_summaries_are_those_of_the_tables(shards: list[Path], tmp_path: Path) -> None:
    """Whole rounds only, no twins, the median of a process's loops: as `analysis.data.cells` has it."""
    merged = merge(shards, tmp_path / "out")
    runs = {path: read_cells(path) for path in shards}
    expected: dict[tuple[str, str], list[float]] = {}
    for run in runs.values():
        for scenario in run.scenarios:
            for (cell, twin), series in scenario.series.items():
                if not twin:
                    expected.setdefault((str(cell), machine_name(run.run)), []).extend(
                        series.loop_ns / series.repetitions
                    )
    found = {
        (
            " ".join([cell.codec, cell.scenario, cell.operation, *(f"{k}={v}" for k, v in cell.conditions.items())]),
            platform,
        ): one
        for cell in merged.cells
        for platform, one in cell.machines.items()
    }
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        one = found[key]
        assert (one.rounds, one.min_ns, one.max_ns) == (len(values), min(values), max(values))
        assert one.median_ns == pytest.approx(np.median(values))
        assert one.low_ns <= one.median_ns <= one.high_ns


def test_merged_json_is_valid_by_its_schema(shards: list[Path], tmp_path: Path) -> None:
    merge(shards, tmp_path / "out")
    jsonschema.validate(json.loads((tmp_path / "out" / "merged.json").read_text()), SCHEMAS["merged"])
    assert read_json(tmp_path / "out" / "merged.json", Merged).protocol == 1


def test_chunks_and_parts_change_nothing_that_is_said(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = merge(shards, tmp_path / "whole")
    monkeypatch.setattr(reading, "CHUNK_BYTES", 10_000)
    monkeypatch.setattr(merging, "PART_LINES", 100)
    assert merge(shards, tmp_path / "parts") == whole
    assert len(list((tmp_path / "parts").rglob("*.parquet"))) > len(list((tmp_path / "whole").rglob("*.parquet")))


def test_large_runs_merge_like_small_ones(tmp_path: Path) -> None:
    runs = write_runs(tmp_path, 20_000)
    merged = merge(runs, tmp_path / "out")
    assert merged.samples == 22_500
    assert {one.runs for cell in merged.cells for one in cell.machines.values()} == {2, 3}
    assert merged.rounds_whole[f"{merged.runs[0].id} process-created"] == 6


def test_a_data_set_is_replaced_and_anything_else_is_not(shards: list[Path], tmp_path: Path) -> None:
    merge(shards, tmp_path / "out")
    merge(shards[:1], tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*macos*"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    with pytest.raises(LabError, match="holds no data set"):
        merge(shards, tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == []


def test_nothing_is_overwritten_by_a_merge_that_fails(shards: list[Path], tmp_path: Path) -> None:
    merge(shards[:1], tmp_path / "out")
    before = digests(tmp_path / "out")
    (shards[1] / "samples.jsonl").write_text("{}\n")
    with pytest.raises(LabError):
        merge(shards, tmp_path / "out")
    assert digests(tmp_path / "out") == before
    assert not (tmp_path / "out.new").exists()


# what cannot be merged


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        (
            {"environment": {"cpu": {"model": "Synthetic CPU", "stepping": 3}}},
            r"environment\.cpu\.stepping: 'not recorded' in events, but '3' in other",
        ),
        ({"provenance": {"toolchain": "nix"}}, r"provenance\.toolchain: 'host' in events, but 'nix' in other"),
    ],
)
def test_what_no_column_may_mix_is_refused_with_the_field(
    shards: list[Path], tmp_path: Path, changes: dict, field: str
) -> None:
    other = made(tmp_path / "other", usual(), created="2025-03-01T00:00:00+00:00", **changes)
    with pytest.raises(LabError, match=field):
        merge([*shards, other], tmp_path / "out")


def test_other_builds_profiles_and_inputs_are_refused_with_the_field(shards: list[Path], tmp_path: Path) -> None:
    other = made(tmp_path / "other", usual(), created="2025-03-01T00:00:00+00:00")
    original = read_json(other / "run.json", Run)

    def plan(run: Run, **changes: object) -> Run:
        return msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, **changes))

    rebuilt = [msgspec.structs.replace(p, sha256="1" * 64) for p in original.plan.cells]
    scenario = msgspec.structs.replace(
        original.scenarios[0], input=msgspec.structs.replace(original.scenarios[0].input, sha256="f" * 64)
    )
    for changed, field in (
        (plan(original, cells=rebuilt), "plan.cells.sha256 of rust/bincode"),
        (plan(original, profile="quick"), "plan.profile of process-created"),
        (msgspec.structs.replace(original, scenarios=[scenario]), "scenarios.process-created.input.sha256"),
    ):
        write_json(other / "run.json", changed)
        with pytest.raises(LabError, match=re.escape(field)):
            merge([*shards, other], tmp_path / "out")


def test_a_cell_of_both_profiles_has_its_figure_from_published(tmp_path: Path) -> None:
    def run(name: str, profile: str, codecs: dict[str, int]) -> Path:
        planned = Made("point")
        for codec, ns in codecs.items():
            planned.codec(codec, {SER: ns, DESER: 2, BOTH: 6})
        path = made(tmp_path / name, planned)
        change(
            path,
            lambda of: msgspec.structs.replace(of, id=name, plan=msgspec.structs.replace(of.plan, profile=profile)),
        )
        return path

    runs = [
        run("some", "published", {"rust/postcard": 3}),
        run("all", "standard", {"rust/postcard": 30, "rust/prost": 5}),
    ]
    merged = merge(runs, tmp_path / "out")
    figures = {cell.codec: one for cell in merged.cells if cell.operation == SER for one in cell.machines.values()}
    alone = {
        cell.codec: one
        for path in runs
        for cell in merge([path], tmp_path / f"{path.name}-alone").cells
        if cell.operation == SER and (path.name == "some" or cell.codec == "rust/prost")
        for one in cell.machines.values()
    }
    assert figures == alone
    assert figures["rust/postcard"].runs == 1


def shard(path: Path, of: str, scenario: str, how: Callable[[Run], Run] = lambda run: run, **changes: object) -> Path:
    """A shard with one scenario, with changes of its plan and then of all of its run.json."""
    path = made(path, Made(scenario).codec("rust/postcard", {SER: 3, DESER: 2, BOTH: 6}))
    plan = {"shard": of, "filters": ["."], **changes}
    change(path, lambda run: how(msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, **plan))))
    return path


def with_provenance(**facts: object) -> Callable[[Run], Run]:
    return lambda run: msgspec.structs.replace(run, provenance={**run.provenance, **facts})


OTHER_PLANS: list[tuple[str, dict, str]] = [
    ("2/3", {}, "plan.shard: '…/2' in one, but '…/3' in two"),
    ("2/2", {"seed": 8}, "plan.seed: '7' in one, but '8' in two"),
    ("2/2", {"profile": "standard"}, "plan.profile: 'published' in one, but 'standard' in two"),
    ("2/2", {"filters": ["point"]}, "plan.filters: '.' in one, but 'point' in two"),
    ("2/2", {"excludes": ["corpus"]}, "plan.excludes: 'none' in one, but 'corpus' in two"),
    ("2/2", {"base_rounds": 5}, "plan.base_rounds: '3' in one, but '5' in two"),
    ("2/2", {"rounds": {"point": 6}}, "plan.rounds: '10 of enum-fields' in one, but '6 of point' in two"),
    (
        "2/2",
        {"cold": True},
        "plan.cold: 'False' in one, but 'True' in two",
    ),
    ("2/2", {"layouts": 4}, "plan.layouts: '0' in one, but '4' in two"),
    ("2/2", {"most_layouts": 24}, "plan.most_layouts: '0' in one, but '24' in two"),
    ("2/2", {"total_budget_s": 1200.0}, "plan.total_budget_s: 'None' in one, but '1200.0' in two"),
    (
        "2/2",
        {"how": with_provenance(git_commit="d" * 40)},
        f"provenance.git_commit: '{'c' * 40}' in one, but '{'d' * 40}' in two",
    ),
    ("2/2", {"scope": Scope.PUBLISHED}, "plan.scope: 'all' in one, but 'published' in two"),
    (
        "2/2",
        {"how": with_provenance(unavailable={"rust/postcard": "no compiler"})},
        "provenance.compilers, what only one has: 'rust/postcard' in one, but 'none' in two",
    ),
    (
        "2/2",
        {"how": with_provenance(compilers={"rust/postcard": "rustc", "rust/postcard native": "rustc"})},
        "provenance.compilers, what only one has: 'none' in one, but 'rust/postcard native' in two",
    ),
]


@pytest.mark.parametrize(("of", "changes", "message"), OTHER_PLANS)
def test_shards_of_other_plans_are_refused_with_the_field_and_both_values(
    tmp_path: Path, of: str, changes: dict, message: str
) -> None:
    compilers = with_provenance(compilers={"rust/postcard": "rustc"})
    one = shard(tmp_path / "one", "1/2", "enum-fields", compilers)
    two = shard(tmp_path / "two", of, "point", **{"how": compilers, **changes})
    before = {path: digests(path) for path in (one, two)}
    for order in ((one, two), (two, one)):
        with pytest.raises(LabError) as caught:
            merge(order, tmp_path / "out")
        assert message in str(caught.value)
        assert "shards of different plans on linux-x86_64" in str(caught.value)
    assert {path: digests(path) for path in (one, two)} == before
    assert not (tmp_path / "out").exists()


def test_shards_of_one_plan_stand_together_with_whole_runs_and_with_other_plans_that_are_whole(tmp_path: Path) -> None:
    def pair(name: str, **changes: object) -> list[Path]:
        return [
            shard(tmp_path / f"{name}-{i}", f"{i}/2", scenario, **changes)
            for i, scenario in enumerate(("enum-fields", "point"), start=1)
        ]

    first, second = pair("first"), pair("second", seed=8)
    merged = merge([*first, *second, made(tmp_path / "whole", usual())], tmp_path / "out")
    assert {s.runs for cell in merged.cells for s in cell.machines.values() if cell.scenario == "point"} == {2}
    with pytest.raises(LabError, match="plan.seed: '7' in first-1, but '8' in second-2"):
        merge([*first, second[1]], tmp_path / "out")


def test_other_rounds_are_told_apart_from_the_profile_s(tmp_path: Path) -> None:
    """Whether --rounds was given follows from the rounds: those of the profile are its scenarios' own."""
    own = {name: rounds_of(Profile.PUBLISHED, Made(name).scenario) for name in ("enum-fields", "point")}
    one = shard(tmp_path / "one", "1/2", "enum-fields", rounds={"enum-fields": own["enum-fields"]})
    same = shard(tmp_path / "same", "2/2", "point", rounds={"point": own["point"]})
    check_mixable([read_json(path / "run.json", Run) for path in (one, same)])
    other = shard(tmp_path / "other", "2/2", "point", rounds={"point": own["point"] + 1})
    with pytest.raises(LabError, match=r"plan\.rounds: \"the profile's\" in one, but '\d+ of point' in other"):
        check_mixable([read_json(path / "run.json", Run) for path in (one, other)])


def test_scenarios_that_cannot_be_dealt_out_of_one_list_are_refused(tmp_path: Path) -> None:
    """As where one node's lab has more scenarios, or a codec that another node's lacks."""
    one = shard(tmp_path / "one", "1/2", "point")
    for name, scenario in (("earlier", "enum-fields"), ("twice", "point")):
        with pytest.raises(LabError, match=r"the scenarios in plan\.rounds: 'point' in one"):
            merge([one, shard(tmp_path / name, "2/2", scenario)], tmp_path / "out")


def test_a_missing_and_a_repeated_shard_are_named_and_what_is_there_is_merged(tmp_path: Path) -> None:
    runs = [
        shard(tmp_path / "a", "1/4", "enum-fields"),
        shard(tmp_path / "b", "3/4", "point"),
        shard(tmp_path / "again", "3/4", "point"),
    ]
    done = CliRunner().invoke(command, [*map(str, runs), "-o", str(tmp_path / "out")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "linux-x86_64, seed 7: shards 2/4, 4/4 are missing. Their scenarios" in done.stderr
    assert "linux-x86_64: shard 3/4 was measured 2 times (again, b); all rounds count." in done.stderr
    assert "3 runs" in done.stdout
    whole = CliRunner().invoke(command, [str(made(tmp_path / "whole", usual())), "-o", str(tmp_path / "other")])
    assert whole.stderr == ""


def test_a_shard_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"run\.json of one: plan\.shard: '3/2' is not a shard; write I/N"):
        merge([shard(tmp_path / "one", "3/2", "point")], tmp_path / "out")


def test_shards_side_by_side_measure_what_the_whole_plan_measures(fake_lab, tmp_path: Path) -> None:
    """As many processes as shards at a time; merged they are the whole run cell by cell, in the same order."""
    lab = fake_lab(other="none")
    plan = ["bench", "--all", "--profile", "quick", "--rounds", "3", "--seed", "7"]
    started = [lab.start(*plan, "--shard", f"{i}/2", "--out", str(tmp_path / f"shard-{i}")) for i in (1, 2)]
    for process in started:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, f"{out}\n{err}"
    lab(*plan, "--out", str(tmp_path / "whole"))
    shards, whole = [tmp_path / "shard-1", tmp_path / "shard-2"], tmp_path / "whole"
    plans = [read_json(path / "run.json", Run).plan for path in shards]
    assert [list(one.rounds) for one in plans] == [["point"], ["process-created"]]

    def order(*paths: Path) -> list[tuple[object, ...]]:
        found = [process for path in paths for process in read_run(path).processes]
        return sorted((p.cell.split()[1], p.round, p.place, p.cell, p.kind, p.twin) for p in found)

    def said(paths: list[Path], folder: Path) -> list[tuple[object, ...]]:
        merged = merge(paths, folder)
        return [
            (
                c.codec,
                c.scenario,
                c.operation,
                c.conditions,
                [(p, s.rounds, s.encoded_bytes) for p, s in c.machines.items()],
            )
            for c in merged.cells
        ]

    assert order(*shards) == order(whole)
    assert said(shards, tmp_path / "merged") == said([whole], tmp_path / "alone")


def test_a_shard_for_which_there_is_no_scenario_is_no_mistake(fake_lab, tmp_path: Path) -> None:
    """One job of an array must not fail because a filter leaves fewer scenarios than there are tasks."""
    done = fake_lab()("bench", "--profile", "quick", "-f", "point", "--shard", "2/2", "--out", str(tmp_path / "run"))
    assert "shard 2/2 is empty: there are fewer scenarios than shards; nothing is recorded" in done.stderr
    assert not (tmp_path / "run").exists()


DAMAGES = [
    ("samples", 3, lambda line: line.replace('"wall_ns":', '"wall_ns":"x",'), "samples.jsonl:3: "),
    ("samples", 2, lambda line: line[: len(line) // 2], "samples.jsonl:2: not JSON"),
    ("samples", 5, lambda line: line.replace('"wall_ns"', '"wall_us"'), "samples.jsonl:5: wall_"),
    (
        "samples",
        4,
        lambda line: line.replace('"round":0', '"round":99'),
        "samples.jsonl:4: round: round 99, the plan has 10",
    ),
    ("samples", 4, lambda line: line.replace("rust/", "ruse/"), "samples.jsonl:4: cell: 'ruse/"),
    (
        "samples",
        6,
        lambda line: line.replace('"repetitions":100000', '"repetitions":5'),
        "samples.jsonl:6: repetitions: 5, the plan says 100000",
    ),
    (
        "samples",
        7,
        lambda line: re.sub('"wall_ns":[0-9]+', '"wall_ns":0', line),
        "samples.jsonl:7: wall_ns: a timed loop of 0 ns",
    ),
    (
        "samples",
        8,
        lambda line: f"{line}\n{line}",
        "samples.jsonl:9: index: sample 0 of this process is recorded twice",
    ),
    ("samples", 3, lambda line: "\n" + line, "samples.jsonl:3: not JSON"),
    ("samples", 3, lambda line: f"{line} {line}", "samples.jsonl:3: not JSON"),
    ("samples", 4, lambda line: line[:-1] + ',"colour":1}', "samples.jsonl:4: colour: Object contains unknown field"),
    ("samples", 4, lambda line: line.replace("crc32:", "CRC"), "samples.jsonl:4: checksum: Expected `str` matching"),
    ("processes", 5, lambda line: line[:-1] + ',"colour":1}', "processes.jsonl:5: colour: Object contains unknown"),
    (
        "processes",
        5,
        lambda line: line.replace('"loop"', '"loup"').replace('"base"', '"loup"'),
        "processes.jsonl:5: kind",
    ),
    ("processes", 3, lambda line: f"{line}\n{line}", "processes.jsonl:4: cell: this process is recorded twice"),
    ("processes", 2, lambda line: line.replace('"kind"', '"kin"'), "processes.jsonl:2: kin"),
    ("processes", 4, lambda line: "\x00" * len(line), "processes.jsonl:4: not JSON"),
]


@pytest.mark.parametrize(("kind", "number", "damage", "message"), DAMAGES)
@pytest.mark.parametrize("chunk", [64 * 1024**2, 1000])
def test_a_damaged_line_is_named_with_file_and_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    number: int,
    damage: Callable[[str], str],
    message: str,
    chunk: int,
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", chunk)
    path = made(tmp_path / "run", usual())
    file = path / f"{kind}.jsonl"
    lines = file.read_text().split("\n")
    lines[number - 1] = damage(lines[number - 1])
    file.write_text("\n".join(lines))
    with pytest.raises(LabError) as caught:
        merge([path], tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_lost_samples_are_named_by_their_process(tmp_path: Path) -> None:
    path = made(tmp_path / "run", usual())
    lines = (path / "samples.jsonl").read_text().splitlines(keepends=True)
    (path / "samples.jsonl").write_text("".join(lines[:40] + lines[41:]))
    with pytest.raises(LabError, match=r"processes\.jsonl:\d+: this process has 0 of its 1 samples"):
        merge([path], tmp_path / "out")


def test_a_torn_last_line_of_an_unfinished_run_is_left_out(tmp_path: Path) -> None:
    broken = usual()
    broken.until = 250
    path = made(tmp_path / "run", broken)
    whole = merge([path], tmp_path / "whole")
    with (path / "processes.jsonl").open("a") as file:
        file.write('{"cell":"rust/po')
    torn = merge([path], tmp_path / "torn")
    assert torn.cells == whole.cells
    assert torn.runs[0].processes == whole.runs[0].processes


def test_empty_runs_and_none_at_all_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "run", usual())
    for name in ("samples", "processes"):
        (path / f"{name}.jsonl").write_text("")
    with pytest.raises(LabError, match="holds no sample and no error row"):
        merge([path], tmp_path / "out")
    with pytest.raises(LabError, match=r"holds no run \(it has no run.json\)"):
        merge([tmp_path], tmp_path / "out")
    assert CliRunner().invoke(command, ["-o", str(tmp_path / "out")]).exit_code == 2
    short = usual()
    short.until = 5
    with pytest.raises(LabError, match="no round of any scenario is complete"):
        merge([made(tmp_path / "short", short)], tmp_path / "out")


def test_another_protocol_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "run", usual())
    text = (path / "run.json").read_text().replace('"protocol": 1', '"protocol": 2', 1)
    (path / "run.json").write_text(text)
    with pytest.raises(LabError, match="its protocol version is 2"):
        merge([path], tmp_path / "out")


def test_ids_have_to_be_names_and_name_one_run(shards: list[Path], tmp_path: Path) -> None:
    again = made(tmp_path / "again" / "events", usual(rounds=6))
    with pytest.raises(LabError, match="are both run events but differ"):
        merge([*shards, again], tmp_path / "out")
    change(again, lambda run: msgspec.structs.replace(run, id="../up"))
    with pytest.raises(LabError, match="run.json: id: Expected `str` matching regex"):
        merge([again], tmp_path / "out")


def test_a_run_whose_cells_all_failed_has_no_summary(tmp_path: Path) -> None:
    run = Made(rounds=6).codec("rust/a", {SER: 1.0})
    run.errors = {(run.cell("rust/a", SER), number): "exit code 3" for number in range(6)}
    merged = merge([made(tmp_path / "run", run)], tmp_path / "out")
    assert (merged.samples, merged.cells) == (0, [])
    assert pl.read_parquet(tmp_path / "out" / "processes")["error"].drop_nulls().to_list() == ["exit code 3"] * 6


def test_the_command_says_what_it_wrote(shards: list[Path], tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [*map(str, shards), "-o", str(tmp_path / "out")], catch_exceptions=False)
    assert result.exit_code == 0
    assert "4 runs" in result.output
    assert "linux-x86_64, macos-aarch64" in result.output


def test_layouts_canaries_and_calm_loops_are_in_the_data_set(tmp_path: Path) -> None:
    run = CalmMade(rounds=16)
    run.codec("rust/a", {SER: 100.0}).codec("rust/b", {SER: 200.0})
    run.disturbed = {"rust/b": 0.04}
    folder = tmp_path / "merged"
    found = merge([run.write(tmp_path / "run")], folder)
    (path,) = (folder / "samples").rglob("*.parquet")
    rows = pl.read_parquet(path)
    series = next(iter(read_cells(tmp_path / "run").scenarios)).series
    for (cell, _), one in series.items():
        own = rows.filter(pl.col("codec") == cell.codec).sort("round", "index")
        assert own["calm"].to_list() == one.loops.calm.tolist()
        assert own["layout"].to_list() == one.loops.layouts.tolist()
        assert own["canary_before_ns"].is_not_null().all()
        summary = next(merged for merged in found.cells if merged.codec == cell.codec).machines[
            "synthetic-linux-x86_64"
        ]
        figure = time_of(one)
        assert figure
        assert (summary.median_ns, summary.low_ns, summary.layouts) == pytest.approx((figure.point, figure.low, 8))
        assert summary.calm_share == one.calm_share


def test_a_run_whose_id_begins_with_another_s_keeps_its_own_calm_loops(tmp_path: Path) -> None:
    def run(name: str, disturbed: float, day: int) -> Path:
        of = CalmMade(rounds=6)
        of.codec("rust/a", {SER: 100.0})
        of.disturbed = {"rust/a": disturbed}
        return made(tmp_path / name, of, created=f"2025-01-0{day}T00:00:00+00:00")

    runs = [run("a-b", 0.5, 1), run("a", 0.0, 2)]
    merge(runs, tmp_path / "merged")
    for path in runs:
        (part,) = (tmp_path / "merged" / "samples").rglob(f"{path.name}-000.parquet")
        (series,) = read_cells(path).scenarios[0].series.values()
        assert pl.read_parquet(part)["calm"].to_list() == series.loops.calm.tolist()


def test_samples_without_canaries_are_neither_calm_nor_disturbed(tmp_path: Path) -> None:
    merge([Made().codec("rust/a", {SER: 100.0}).write(tmp_path / "run")], tmp_path / "merged")
    (path,) = (tmp_path / "merged" / "samples").rglob("*.parquet")
    assert pl.read_parquet(path)["calm"].is_null().all()
