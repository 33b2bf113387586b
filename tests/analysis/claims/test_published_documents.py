"""Published sizes of documents as claims: the files as they were published, and each verdict from counted bytes."""

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.claims.definitions import load_claims
from analysis.claims.ledger import ledger
from analysis.claims.ledger_entry import LedgerEntry
from analysis.claims.verdicts import Verdict
from analysis.commands import sizes as command
from analysis.commands.claims import claims
from analysis.data.cells import read_cells
from analysis.render.evidence_facts import evidence_text
from analysis.sources.document_figures import document_figures
from analysis.sources.packed_figures import packed_figures
from analysis.sources.publications import load_publications
from analysis.sources.published_tables import FOLDER
from analysis.tables.documents.document_grid import document_grids
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.model.proof.document_sizes import FILE, DocumentSize, DocumentSizes
from bench.scenarios.catalogue import load_catalogue
from tests.support.scenarios.committed import committed_claims, committed_scenarios
from tests.support.synthetic_run import usual

SCENARIOS = committed_scenarios()
COMMITTED = [figure for one in load_publications(FOLDER) if one.document_sizes for figure in document_figures(one)]

TOML = """protocol = 1
title = "A test's publication"
address = "https://example.org/sizes"
order = 1
[layout]
table = "document"
codec = "codec"
operation = "metric"
value = "value"
unit = "unit"
platform = "unstated"
[versions]
toy = "1.0"
[document_sizes]
says = "{document}, {metric}: {row}"
section = "Sizes"
integers = true
[document_sizes.metrics]
size = {}
share = { share_of_json = true }
packed = { packed = "gzip-9" }
odd = { why_not = "no tool does it" }
[document_sizes.codecs]
Toy = { codec = "rust/toy" }
[document_sizes.without]
Schema = "it needs a schema"
"""
CSV = """# from somewhere
document,codec,metric,value,unit
canada.json,Toy,size,100,B
canada.json,Toy,share,50.5,%
canada.json,Toy,packed,80,B
canada.json,Toy,odd,70,B
canada.json,Schema,size,10,B
unknown.json,Toy,size,5,B
"""


def entries(
    tmp_path: Path, sizes: dict[str, int] | None, *changes: tuple[str, str], **more: object
) -> dict[str, LedgerEntry]:
    """The claims of the test's publication by document, row and metric, judged by a run with these sizes."""
    folder = tmp_path / "published"
    folder.mkdir()
    toml, table = TOML, CSV
    for old, new in changes:
        assert old in toml or old in table
        toml, table = toml.replace(old, new), table.replace(old, new)
    (folder / "toys.toml").write_text(toml, encoding="utf-8")
    (folder / "toys.csv").write_text(table, encoding="utf-8")
    run = usual().write(tmp_path / "run")
    if sizes is not None:
        write_json(run / FILE, counted(sizes, **more))
    book = load_claims(SCENARIOS, folder)
    return {entry.id.removeprefix("toys-"): entry for entry in ledger(book, [read_cells(run)])}


def counted(sizes: dict[str, int], codec: str = "rust/toy") -> DocumentSizes:
    return DocumentSizes(
        protocol=1,
        created="2026-01-01T00:00:00Z",
        binaries={codec: "0" * 64},
        versions={codec: ("toy", "2.0")},
        documents={"canada.json": "0" * 64},
        minified_bytes={"canada.json": 2000},
        sizes=[DocumentSize("toys", "Toy", "canada.json", codec, sizes)],
        failures={},
    )


def test_a_size_is_reproduced_to_the_byte_or_differs(tmp_path):
    told = entries(tmp_path, {"size": 100, "share": 1010, "packed": 83})
    assert {name: (one.verdict, one.sentence) for name, one in told.items() if one.measured} == {
        "canada-json-toy-size": (Verdict.REPRODUCED, "reproduced: published 100 B; here 100 B: the same to the byte"),
        "canada-json-toy-share": (
            Verdict.REPRODUCED,
            "reproduced: published 50.5 %; here 50.5 %: 1,010 B, the printed share",
        ),
        "canada-json-toy-packed": (
            Verdict.REFUTED,
            "refuted: published 80 B; here 83 B: differs by +3 B",
        ),
    }
    assert all(one.exact for one in told.values())
    (library,) = told["canada-json-toy-size"].versions
    assert (library.library, library.published, library.measured) == ("toy", "1.0", "2.0")


@pytest.mark.parametrize(("size", "verdict"), [(1008, "refuted"), (1010, "reproduced"), (1012, "refuted")])
def test_a_share_counts_in_its_printed_digits(tmp_path, size, verdict):
    assert entries(tmp_path, {"share": size})["canada-json-toy-share"].verdict.value == verdict


def test_a_difference_that_the_file_explains_refutes_nothing(tmp_path):
    told = entries(tmp_path, {"size": 101, "share": 1010}, ('"rust/toy" }', '"rust/toy", note = "it rounds" }'))
    assert told["canada-json-toy-size"].verdict is Verdict.NOT_MEASURABLE
    assert told["canada-json-toy-size"].why == "differs by +1 B; it rounds"
    assert told["canada-json-toy-share"].verdict is Verdict.REPRODUCED


def test_what_no_run_tells_has_its_reason(tmp_path):
    told = entries(tmp_path, {"size": 99})
    assert {name: one.why for name, one in told.items() if one.verdict is Verdict.NOT_MEASURED} == {
        "canada-json-toy-share": "no run has sizes of documents by this codec: `./lab sizes --run RUN` counts them",
        "canada-json-toy-packed": "no run has sizes of documents by this codec: `./lab sizes --run RUN` counts them",
    }, "what the lab cannot write or pack is no claim"
    assert told["canada-json-toy-size"].why == "differs by -1 B"


def test_sizes_of_another_codec_judge_nothing(tmp_path):
    told = entries(tmp_path, {"size": 100}, codec="rust/other")
    assert {one.verdict for one in told.values()} == {Verdict.NOT_MEASURED}


def test_a_run_without_sizes_judges_nothing(tmp_path):
    assert {one.verdict for one in entries(tmp_path, None).values()} == {Verdict.NOT_MEASURED}


def test_the_evidence_names_line_bytes_and_command(tmp_path):
    text = evidence_text(entries(tmp_path, {"size": 101})["canada-json-toy-size"])
    assert "analysis/published/toys.csv, line 3" in text
    assert "rust/toy canada.json" in text and "101 B" in text and "0 rounds" not in text
    assert "./lab sizes -f '^rust/toy canada.json$'" in text and "section “Sizes”" in text


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("Schema,size", "Scheme,size"), r"toys\.csv:7: codec: 'Scheme' must stand in either"),
        (("Toy,odd", "Toy,even"), r"toys\.csv:6: metric: 'even' is not in \[document_sizes\.metrics\]"),
        (("size,100", "size,many"), r"toys\.csv:3: value: 'many' is not a number"),
        (('Schema = "it', 'Toy = "it'), "toys.csv:3: codec: 'Toy' must stand in either"),
    ],
)
def test_a_figure_that_the_file_does_not_explain_is_a_mistake(tmp_path, change, problem):
    with pytest.raises(LabError, match=problem):
        entries(tmp_path, None, change)


def test_a_damaged_file_of_sizes_is_refused(tmp_path):
    run = usual().write(tmp_path / "run")
    (run / FILE).write_text('{"protocol":1}', encoding="utf-8")
    with pytest.raises(LabError, match=r"sizes\.json"):
        read_cells(run)


# the committed publications


def test_the_tables_are_as_they_were_published():
    digests = {
        name: hashlib.sha256((FOLDER / f"{name}.csv").read_bytes()).hexdigest()
        for name in dict.fromkeys(one.publication for one in COMMITTED)
    }
    assert digests == {
        "jviotti-sizes": "9c0cbfd807deafb5917df85aa1450f19f76fcc273ca1226b856b3c67b3add129",
        "nlohmann-sizes": "b792aa32fbea28f5eb44a8eb368b5db32eb9c944e6fef41c64aa1f656a1bdc3c",
    }
    assert Counter(one.publication for one in COMMITTED) == {"jviotti-sizes": 1828, "nlohmann-sizes": 36}
    lines = (FOLDER / "jviotti-sizes.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    own = [one for one in COMMITTED if one.publication == "jviotti-sizes"]
    assert [(row["data_set"], row["codec"], row["metric"], float(row["value"])) for row in rows] == [
        (one.document, one.row, one.metric, one.value) for one in own
    ]


def test_every_codec_that_stands_for_a_row_is_one_of_the_lab():
    assert {one.codec for one in COMMITTED if one.codec} <= load_catalogue().codecs.keys()


def test_what_no_codec_of_the_lab_writes_is_told_and_no_claim():
    judged = committed_claims().document_sizes
    assert [one for one in COMMITTED if one.why_not is None] == [one for one in judged if one.scenario is None]
    reasons = {one.row: one.why_not for one in COMMITTED if one.why_not}
    assert reasons["Smile"] == "the lab has no codec of this format"
    assert reasons["FlatBuffers"] == "no codec of the lab writes it schemaless"


def test_every_published_size_of_a_document_has_an_id_of_its_own():
    assert len({one.id for one in COMMITTED}) == len(COMMITTED) == 1864


def test_lab_claims_tells_a_size_by_its_id(tmp_path):
    run = usual().write(tmp_path / "run")
    done = CliRunner().invoke(claims, ["jviotti-sizes-tslintmulti-cbor-size", str(run)], catch_exceptions=False)
    assert done.exit_code == 0 and "no run has sizes of documents by this codec" in done.output


# the command


@pytest.fixture
def told(monkeypatch):
    """`lab sizes` with codecs that write as many bytes as published, but one more for one document."""

    def count(tasks, scenarios):
        values = {(one.publication, one.row, one.document, one.metric): one.value for one in COMMITTED}
        sizes = [
            DocumentSize(
                task.publication,
                task.row,
                task.document,
                task.codec,
                {
                    metric: int(values[task.publication, task.row, task.document, metric] + (task.document == "epr"))
                    for metric, _ in task.metrics
                },
            )
            for task in tasks
            if task.publication == "jviotti-sizes"
        ]
        return msgspec.structs.replace(counted({}), sizes=sizes, failures={})

    monkeypatch.setattr(command, "count", count)


def test_lab_sizes_prints_a_table_and_writes_beside_a_run(told, tmp_path):
    run = usual().write(tmp_path / "run")
    done = CliRunner().invoke(command.sizes, ["-f", " (epr|circleciblank)$", "--run", str(run)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "binary-json-size-benchmark, size: 5 of 10 sizes as published" in done.output
    assert "(+1)" in done.output and "Not judged: 135 sizes: xz 5.4 packs" in done.output
    judged = [one for one in ledger(committed_claims(), [read_cells(run)]) if one.source == "jviotti-sizes"]
    noted = {Verdict.REPRODUCED: 15, Verdict.REFUTED: 12, Verdict.NOT_MEASURABLE: 3}
    assert Counter(one.verdict for one in judged if one.measured) == noted


def test_lab_sizes_prints_a_line_of_json_a_size(told):
    done = CliRunner().invoke(command.sizes, ["-f", "python/cbor2 epr", "--json"], catch_exceptions=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["metric"], one["measured"] - one["published"]) for one in lines] == [
        ("size", 1),
        ("size_gzip9", 1),
        ("size_lz4_9", 1),
    ]


def test_a_filter_without_a_document_is_refused(told):
    with pytest.raises(LabError, match="no published document matches -f 'nothing'"):
        CliRunner().invoke(command.sizes, ["-f", "nothing"], catch_exceptions=False)


# sizes after a compression

PACKED_TOML = """protocol = 1
title = "A test's publication"
order = 1
[layout]
table = "set"
codec = "crate"
operation = "metric"
value = "value"
unit = "unit"
platform = "linux"
[packed_sizes]
says = "{document}, {metric}: {row}"
plain = "size"
[packed_sizes.metrics]
zstd = { packed = "zstd-3-streamed" }
zlib = { why_not = "another encoder" }
[tables.log]
published = "log"
scenario = "log"
"""
PACKED_CSV = """set,crate,metric,value,unit
log,postcard,size,724953,B
log,postcard,zstd,300,B
log,postcard,zlib,400,B
log,bilrost,size,5,B
log,bilrost,zstd,4,B
log,unknown,size,5,B
log,unknown,zstd,4,B
"""


def packed(tmp_path: Path) -> Path:
    """A folder with a publication of packed sizes."""
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "toys.toml").write_text(PACKED_TOML, encoding="utf-8")
    (folder / "toys.csv").write_text(PACKED_CSV, encoding="utf-8")
    return folder


def test_a_packed_size_tells_where_the_plain_one_is_the_published_one(tmp_path):
    (publication,) = load_publications(packed(tmp_path))
    told = {(one.row, one.metric): one.why_not for one in packed_figures(publication, SCENARIOS)}
    assert told == {
        ("postcard", "zstd"): None,
        ("postcard", "zlib"): "another encoder",
        ("bilrost", "zstd"): "the lab's codec writes other bytes: its plain size is not the published one",
        ("unknown", "zstd"): "no codec of the lab stands for the row",
    }


def test_a_table_of_more_codecs_than_documents_has_a_line_a_codec(tmp_path):
    (publication,) = load_publications(packed(tmp_path))
    figures = [one for one in packed_figures(publication, SCENARIOS) if one.row == "postcard"]
    figures += [msgspec.structs.replace(figures[0], row="prost", codec="rust/prost", value=500.0)]
    sizes = [
        DocumentSize("toys", row, "log", codec, {"zstd": size})
        for row, codec, size in (("postcard", "rust/postcard-slice", 300), ("prost", "rust/prost", 501))
    ]
    counts = msgspec.structs.replace(counted({}), sizes=sizes)
    (grid,) = document_grids(figures, counts, {"toys": "Toys"})
    assert grid.title == "Toys, zstd: 1 of 2 sizes as published"
    assert [line for section in grid.sections for line in section.rows] == [
        (("postcard (rust/postcard-slice)",), ("300",)),
        (("prost (rust/prost)",), ("501 (+1)",)),
    ]


@pytest.mark.parametrize(("size", "verdict"), [(300, Verdict.REPRODUCED), (301, Verdict.REFUTED)])
def test_a_packed_size_is_judged_by_the_bytes(tmp_path, size, verdict):
    run = usual().write(tmp_path / "run")
    sizes = [DocumentSize("toys", "postcard", "log", "rust/postcard-slice", {"zstd": size})]
    write_json(run / FILE, msgspec.structs.replace(counted({}), sizes=sizes))
    (entry,) = ledger(load_claims(SCENARIOS, packed(tmp_path)), [read_cells(run)])
    assert (entry.id, entry.verdict) == ("toys-log-postcard-zstd", verdict)
    assert "./lab sizes -f '^rust/postcard-slice log$'" in evidence_text(entry)
