"""Run folders with something for every page of the report: synthetic runs, and what lies beside them."""

from pathlib import Path

import msgspec

from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.cells import Conditions, Operation
from bench.model.counts import FOOTPRINT, CountedRunner
from bench.model.findings import Fact, Fidelity, Finding, Fuzzed, Fuzzing
from bench.model.plan import Profile
from bench.model.proof.conformance import Conformance, Conformed, Deviation, SuiteUsed, Verdict
from bench.model.proof.evolved import Evolution, Evolved, Outcome
from bench.model.verification import Check, Exchange, Verification, Verified
from tests.support.recorded.submittable import footprints
from tests.support.synthetic_run import PUBLISHED, Made, but, usual

MODELS = {"input": "models", "objects": "reused", "gc": "on"}
PYTHON = {
    Operation.SERIALIZE: Conditions(api="dynamic", **MODELS, build="baseline"),
    Operation.DESERIALIZE: Conditions(api="dynamic", gc="on", output="dicts", drop="inside", build="baseline"),
    Operation.ROUND_TRIP: Conditions(api="dynamic", **MODELS, output="dicts", drop="inside", build="baseline"),
}
FILES = {operation: Conditions(api="manual", io="as-published", build="baseline") for operation in Operation}


def write_runs(folder: Path) -> list[Path]:
    """Four runs: a published one with all that can lie beside it, two sizes of users, files, and a quick one."""
    first = usual().write(folder / "first")
    write_beside(first)
    return [first, users(folder / "users"), logs(folder / "logs"), quick(folder / "quick")]


def write_beside(path: Path) -> None:
    """Verification, special values and malformed input of the codecs of `usual`."""
    verified = [
        Verified("rust/postcard", "process-created", 230, *["crc32:00000000"] * 2, peers=["rust/bincode"]),
        Verified("rust/bincode", "process-created", 234, *["crc32:00000000"] * 2),
    ]
    refused = Check("interop", "rust/bincode", "rust/postcard does not read <it>", "process-created", "rust/postcard")
    pair = ("process-created", "a format", "rust/bincode", "rust/postcard")
    tried = [
        Exchange("process-created", "a format", "rust/postcard", "rust/bincode", reads=True, same_bytes=False),
        Exchange(*pair, reads=False, same_bytes=False, problem="no <such> tag"),
    ]
    write_json(path / "verify.json", Verification(PROTOCOL, verified, [refused], tried))
    facts = [
        Fact("rust/postcard", "nan", "same", "nan", "nan"),
        Fact("rust/postcard", "tuple", "changed", "(1, 2)", "[1, 2]"),
        Fact("rust/toml", "nan", "refused", "nan", error="TypeError: no </script> here & there"),
    ]
    write_json(path / "fidelity.json", Fidelity(PROTOCOL, "2025-01-03T00:00:00+00:00", {"rust/toml": "1" * 64}, facts))
    findings = [
        Finding("rust/toml", "process-created", 7, "killed by SIGSEGV", "ee" * 200),
        Finding("rust/toml", "process-created", 8, "refused with 2 lines", "ff" * 200),
    ]
    results = [
        Fuzzed("rust/postcard", "process-created", "postcard", "1.1.3", 0, 100, 90, 10, []),
        Fuzzed("rust/toml", "process-created", "toml", "1.2.1", 0, 100, 98, 0, findings),
    ]
    fuzzing = Fuzzing(PROTOCOL, "2025-01-03T00:00:00+00:00", 100, 0, {}, results, {"rust/bincode point": "no answer"})
    write_json(path / "fuzz.json", fuzzing)
    exchanges = [
        Evolved("rust/postcard", "rename", "backward", Outcome.RIGHT, True, '{"a":1}', '{"b":1}'),
        Evolved("rust/postcard", "widen", "forward", Outcome.WRONG, False, '{"a":70000}', '{"a":4464}', "a: 4464"),
        Evolved("rust/toml", "rename", "backward", Outcome.REFUSED, False, '{"a":1}', None, "missing field <b>"),
    ]
    evolution = Evolution(PROTOCOL, "2025-01-03T00:00:00+00:00", {}, {"rust/toml": ("toml", "1")}, exchanges, {}, {})
    write_json(path / "evolution.json", evolution)
    deviation = Deviation("n_<1>", Verdict.ACCEPTED, 1, "31", '{"int":"1"}')
    verdicts = {Verdict.RIGHT: 711, Verdict.ACCEPTED: 1}
    conformed = [Conformed("rust/toml", "toml", "toml", "1", verdicts, 3, 4, [deviation])]
    suites = {"toml": SuiteUsed("toml-test", "1.1", "a registry", 712)}
    when = "2025-01-03T00:00:00+00:00"
    conformance = Conformance(PROTOCOL, when, suites, {"other": "no <folder>"}, {}, conformed, {}, {})
    write_json(path / "conformance.json", conformance)
    programs = [
        CountedRunner(
            codec=codec,
            sha256="1" * 64,
            stripped_over_nothing_bytes=size,
            packages=40 + more,
            packages_over_nothing=more,
            compile_s=9.25,
        )
        for codec, size, more in (("rust/postcard", 8_123, 3), ("rust/toml", 91_234, 7))
    ]
    recorded = footprints(*programs, created=when, cpu="Synthetic CPU")
    write_json(path / FOOTPRINT, recorded)


def users(path: Path) -> Path:
    """Two scenarios of one type and of different sizes, in one run."""
    made = {name: Made(name, rounds=8) for name in ("users-100", "users-1k")}
    for place, one in enumerate(made.values()):
        factor = 10**place
        one.codec(
            "python/bfast",
            {op: factor * ns for op, ns in zip(PYTHON, (2e4, 1e4, 3e4), strict=True)},
            size=5_000 * factor,
            conditions=PYTHON,
            library="bfast-py",
        )
        one.codec(
            "python/orjson",
            {op: factor * ns for op, ns in zip(PYTHON, (3e4, 2e4, 5e4), strict=True)},
            size=8_000 * factor,
            conditions=PYTHON,
            library="orjson",
        )
        one.codec(
            "python/orjson",
            {Operation.ROUND_TRIP: factor * 9e4},
            size=3_000 * factor,
            conditions={Operation.ROUND_TRIP: but(PYTHON[Operation.ROUND_TRIP], compression="lz4")},
        )
        one.codec("python/memcpy", dict.fromkeys(PYTHON, factor * 50.0), control=True, conditions=PYTHON)
    small, large = (one.write(path.with_name(f"{path.name}-{name}")) for name, one in made.items())
    return join(path, small, large)


def points(path: Path) -> Path:
    """Small messages in another language: the fastest codec has a memory finding, the next does not validate."""
    made = Made("point", rounds=6)
    for codec, ns, validation in (
        ("cpp/zpp-bits", 20.0, "on"),
        ("cpp/cereal", 30.0, "off"),
        ("cpp/protobuf", 60.0, "on"),
    ):
        conditions = {op: but(one, validation=validation) if one.output else one for op, one in PUBLISHED.items()}
        times = {Operation.SERIALIZE: ns, Operation.DESERIALIZE: 2 * ns}
        made.codec(codec, times, size=round(ns / 2), conditions=conditions)
    run = renamed(made.write(path), "20250101T030405Z-linux-x86_64-0c0de1")
    crash = Finding("cpp/zpp-bits", "point", 1, "killed by SIGSEGV", "ff")
    results = [
        Fuzzed("cpp/zpp-bits", "point", "zpp_bits", "1.2.3", 0, 10_000, 9_999, 0, [crash]),
        Fuzzed("cpp/protobuf", "point", "protobuf", "1.2.3", 0, 10_000, 10_000, 0, []),
    ]
    write_json(run / "fuzz.json", Fuzzing(PROTOCOL, "2025-01-05T00:00:00+00:00", 10_000, 0, {}, results, {}))
    return run


def logs(path: Path) -> Path:
    """Rows in files."""
    made, operations = Made("log-small", rounds=6), (Operation.WRITE, Operation.READ, Operation.FILTER)
    made.repetitions = 3
    for codec, ns in (("rust/plain-text", 1e5), ("rust/prost", 2e5), ("rust/brec-stream", 1.5e5)):
        made.codec(codec, {op: ns * (place + 1) for place, op in enumerate(operations)}, size=30_000, conditions=FILES)
    return renamed(made.write(path), "20250102T030405Z-linux-x86_64-00f11e")


def quick(path: Path) -> Path:
    """The usual run again, of the profile quick."""
    made = usual(rounds=1)
    made.profile = Profile.QUICK
    return renamed(made.write(path), "20250104T030405Z-linux-x86_64-09c4a1")


def renamed(path: Path, name: str) -> Path:
    """The same run under another id."""
    run = msgspec.json.decode((path / "run.json").read_bytes())
    (path / "run.json").write_bytes(msgspec.json.encode(run | {"id": name}))
    return path


def join(path: Path, one: Path, other: Path) -> Path:
    """Two runs of different scenarios as one."""
    path.mkdir()
    a, b = (msgspec.json.decode((folder / "run.json").read_bytes()) for folder in (one, other))
    plan = a["plan"] | {
        "rounds": a["plan"]["rounds"] | b["plan"]["rounds"],
        "cells": a["plan"]["cells"] + b["plan"]["cells"],
        "twins": a["plan"]["twins"] + b["plan"]["twins"],
    }
    joined = a | {
        "plan": plan,
        "scenarios": a["scenarios"] + b["scenarios"],
        "id": "20250103T030405Z-linux-x86_64-05e25a",
    }
    (path / "run.json").write_bytes(msgspec.json.encode(joined))
    for name in ("samples.jsonl", "processes.jsonl"):
        (path / name).write_bytes((one / name).read_bytes() + (other / name).read_bytes())
    return path
