"""Published documents: where they come from, how they are handed to codecs, and how their bytes are packed."""

import csv
import gzip
import hashlib
import json
import lzma
import random
import re
import shutil
import subprocess
import zlib

import brotli
import lz4.frame
import pytest
import zstandard

from bench.base.files import read_text
from bench.building.runner import RunnerError
from bench.building.tools import provide_libflate
from bench.proof.sizes import documents
from bench.proof.sizes.packing import PACKERS
from bench.proof.sizes.written import Task, minified_bytes, sizes_of
from bench.scenarios.inputs import canonical_input
from tests.support.lab import ROOT
from tests.support.scenarios.committed import committed_scenarios

CONTENTS = {
    "empty": b"",
    "short": b'{"version":1}\n',
    "long": json.dumps([{"id": n, "name": f"user {n % 7}"} for n in range(500)]).encode(),
    "noise": random.Random(5).randbytes(3000),
}
TOOLS = {
    "gzip-9": ["gzip", "-9", "--no-name"],
    "lz4-9": ["lz4", "-9", "-f", "-"],
    "lzma-9": ["xz", "--format=lzma", "-9"],
    "zstd-3-streamed": ["zstd", "-3", "--no-check"],
}
UNPACKERS = {
    "gzip-9": gzip.decompress,
    "lz4-9": lz4.frame.decompress,
    "lzma-9": lzma.decompress,
    "zstd-3-streamed": lambda packed: zstandard.ZstdDecompressor().decompressobj().decompress(packed),
}


@pytest.mark.parametrize("packer", TOOLS)
@pytest.mark.parametrize("content", CONTENTS)
def test_a_packed_size_is_that_of_the_tool(packer, content, tmp_path):
    command, packed = TOOLS[packer], PACKERS[packer](CONTENTS[content])
    assert UNPACKERS[packer](packed) == CONTENTS[content]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    file = tmp_path / "content"
    file.write_bytes(CONTENTS[content])
    words = [*command[:-1], str(file), str(file) + ".packed"] if packer == "lz4-9" else [*command, "--stdout"]
    done = subprocess.run(words, input=CONTENTS[content], capture_output=True, check=True)
    tool = (tmp_path / "content.packed").read_bytes() if packer == "lz4-9" else done.stdout
    assert len(packed) == len(tool)


def as_published() -> tuple[bytes, dict[str, int]]:
    """What serde_json writes of a message, which holds no floats, and the sizes that were published of it."""
    message = json.loads(canonical_input(committed_scenarios()["log"]))
    encoded = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
    lines = csv.reader((ROOT / "analysis/published/rsb.csv").open(encoding="utf-8"))
    published = {line[3]: int(line[4]) for line in lines if line[:2] == ["log", "serde_json"] and line[5] == "B"}
    assert len(encoded) == published["size"]
    return encoded, published


def test_a_stream_of_zstd_has_the_size_that_was_published_of_the_same_bytes():
    encoded, published = as_published()
    assert len(PACKERS["zstd-3-streamed"](encoded)) == published["zstd"]


@pytest.mark.slow
@pytest.mark.host
def test_libflate_packs_to_the_size_that_was_published_of_the_same_bytes():
    provide_libflate(lambda _: None)
    encoded, published = as_published()
    packed = PACKERS["zlib-libflate"](encoded)
    assert (len(packed), zlib.decompress(packed)) == (published["zlib"], encoded)


# documents


@pytest.fixture
def pins(tmp_path, monkeypatch):
    """A file of pins that a test writes, and LAB_SOURCES beside it."""

    def write(text: str) -> None:
        file = tmp_path / "documents.toml"
        file.write_text(f"protocol = 1\n{text}", encoding="utf-8")
        monkeypatch.setattr(documents, "PINS", file)
        documents.pinned.cache_clear()

    monkeypatch.setenv("LAB_SOURCES", str(tmp_path / "sources"))
    yield write
    documents.pinned.cache_clear()


SOURCE = """[sources.set]
folder = "set"
address = "https://example.org/set"
commit = "0123456789abcdef"
"""
CONTENT = b'{"a": 1}\n'
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def entry(name: str, more: str = "", digest: str = DIGEST, source: str = "set") -> str:
    return f'[documents.{name}]\nsource = "{source}"\nfile = "{name}.json"\nsha256 = "{digest}"\n{more}'


def test_a_document_is_taken_from_a_checkout(tmp_path, pins):
    pins(SOURCE + entry("plain") + entry("packed", 'packed = "brotli"\n') + entry("unwanted"))
    (tmp_path / "sources/set").mkdir(parents=True)
    (tmp_path / "sources/set/plain.json").write_bytes(CONTENT)
    (tmp_path / "sources/set/packed.json").write_bytes(brotli.compress(CONTENT))
    assert documents.provide({"plain", "packed"}) == ({"plain": CONTENT, "packed": CONTENT}, {})


def test_other_documents_than_the_pinned_ones_are_refused(tmp_path, pins):
    pins(SOURCE + entry("other") + entry("gone") + entry("torn", 'packed = "brotli"\n') + entry("good"))
    (tmp_path / "sources/set").mkdir(parents=True)
    (tmp_path / "sources/set/other.json").write_bytes(CONTENT + b"\n")
    (tmp_path / "sources/set/torn.json").write_bytes(brotli.compress(CONTENT)[:-1])
    (tmp_path / "sources/set/good.json").write_bytes(CONTENT)
    found, missing = documents.provide({"other", "gone", "torn", "good"})
    assert found == {"good": CONTENT}
    assert re.search(rf"other\.json has SHA-256 \w+, .* pins {DIGEST}$", missing["other"])
    assert "gone.json is missing" in missing["gone"] and "torn.json cannot be unpacked" in missing["torn"]


@pytest.mark.parametrize("home", ["", "sources"])
def test_a_missing_checkout_is_named(tmp_path, pins, monkeypatch, home):
    pins(SOURCE + entry("plain"))
    monkeypatch.setenv("LAB_SOURCES", str(tmp_path / home) if home else "")
    found, missing = documents.provide({"plain"})
    assert not found and "has no set: check out https://example.org/set at commit 0123456789ab" in missing["plain"]


def test_a_document_of_no_source_is_a_mistake_with_its_line(pins):
    pins(SOURCE + entry("plain", source="sett"))
    with pytest.raises(
        documents.LabError, match=r"documents\.toml:7: documents\.plain\.source: there is no \[sources\.sett\]"
    ):
        documents.pinned()


def test_every_published_document_that_is_pinned_has_its_own_hash():
    documents.pinned.cache_clear()
    known = documents.pinned().documents
    assert len(known) == 30 and len({one.sha256 for one in known.values()}) == 30
    assert not re.search(r"/(root|home|tmp|work)/", read_text(documents.PINS))


@pytest.mark.host
def test_the_documents_of_the_crate_have_the_sizes_that_were_published_beside_them():
    names = {"canada.json": 2090234, "citm_catalog.json": 500299, "twitter.json": 466906}
    found, missing = documents.provide(names)
    assert not missing
    assert minified_bytes(found, found) == names
    notes = read_text(ROOT / "analysis/published/nlohmann-sizes.csv")
    assert all(f"minified document ({size} B)" in notes for size in names.values())


# handing them to codecs


class Writer:
    """A runner that writes the length of the notation, or fails."""

    def encode_any(self, line: bytes) -> bytes:
        if b"bad" in line:
            raise RunnerError("encode: exit code 65: no form")
        return bytes(len(line))

    def encode(self, scenario: str, canonical: bytes) -> bytes:
        return scenario.encode() + canonical


def test_sizes_are_of_what_was_written_and_of_what_was_counted_after_it():
    def task(document: str, codec: str = "toy/a") -> Task:
        metrics = (("size", None), ("packed", "gzip-9"))
        return Task("p", "Row", document, codec, integers=True, ends_with="\n", metrics=metrics)

    tasks = [task("d"), task("bad"), task("absent"), task("d", "toy/unbuilt")]
    found, failures = sizes_of(tasks, {"d": b"[1.0]", "bad": b'"bad"'}, {"toy/a": Writer()})
    length = len(b'[{"int":"1"}]\n') + 1
    assert [(one.publication, one.row, one.document, one.codec) for one in found] == [("p", "Row", "d", "toy/a")]
    assert found[0].bytes == {"size": length, "packed": len(gzip.compress(bytes(length - 1) + b"\n", 9, mtime=0))}
    assert failures == {"toy/a bad": "encode: exit code 65: no form"}


def test_a_message_of_a_scenario_is_written_from_its_canonical_input():
    metrics = (("size", None), ("zstd", "zstd-3-streamed"))
    task = Task("p", "Row", "table", "toy/a", integers=False, ends_with="", metrics=metrics, scenario="log")
    (found,), failures = sizes_of([task], {"table": b"{}"}, {"toy/a": Writer()})
    assert found.bytes == {"size": 5, "zstd": len(PACKERS["zstd-3-streamed"](b"log{}"))} and not failures
