"""Damaged and hostile runs: a healthy one, and what is done to copies of it, each case under a name."""

import json
import os
import random
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.base import limits
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.counts import FOOTPRINT, CountedRunner
from bench.model.findings import Fact, Fidelity, Finding, Fuzzed, Fuzzing
from bench.model.record import Transfer
from bench.model.verification import Check, Exchange, Verification, Verified
from tests.support.recorded.submittable import footprints
from tests.support.synthetic_run import Made

HONEY = "honey-5f2b81c6-which-no-command-may-tell"
"""What the files hold that hostile runs point at."""
DOCUMENTS = ("run.json", "verify.json", "fidelity.json", "fuzz.json")
LINES = ("samples.jsonl", "processes.jsonl", "network.jsonl")
FILES = (*DOCUMENTS, *LINES, "remarks.txt")
POISON = (
    "\x1b]52;c;SGVsbG8=\x07\x1b[2J\x9b31m\x7f\r\b\u202eevil\u2066\u061c\u2028<img src=x onerror=alert(1)>"
    "[x](http://example.org)![y](z)|`a``<b>`#1 &lt; *_~$\\|\n- [l]: http://example.org\n=cmd|' /C calc'!A0"
)
"""Escape sequences, bidirectional controls, HTML, Markdown and formulas in one text."""
SCENARIOS = ("process-created", "log-small", "users-10k", "array-f64", "numpy-8mb", "nested-object")
"""One of each form of table."""
CODECS = 3


# the runs that are damaged


def healthy(path: Path, scenario: str = "process-created", rounds: int = 3) -> Path:
    """A small run with all that may lie beside it."""
    made = Made(scenario, rounds)
    published = made.scenario.published
    named = [*published.rows, "rust/a", "rust/b", "rust/c"][:CODECS]
    conditions = dict.fromkeys(made.scenario.operations, published.conditions)
    for place, codec in enumerate(named):
        made.codec(codec, dict.fromkeys(made.scenario.operations, 50.0 * (place + 1)), conditions=conditions)
    made.codec("rust/memcpy", dict.fromkeys(made.scenario.operations, 4.0), conditions=conditions, control=True)
    made.twins = [planned.cell for planned in made.cells if planned.cell.codec == named[0]]
    made.errors = {(made.cells[-2].cell, rounds - 1): "the runner ended with exit code 70: boom"}
    made.write(path)
    one, other = named[0], named[1]
    write_json(
        path / "verify.json",
        Verification(
            PROTOCOL,
            [Verified(one, scenario, 300, "crc32:00000000", "crc32:00000000", peers=[other])],
            [Check("value", other, "expected 1, got 2", scenario)],
            [
                Exchange(scenario, "JSON", one, other, reads=True, same_bytes=False),
                Exchange(scenario, "JSON", other, one, reads=False, same_bytes=False, problem="unexpected end"),
            ],
        ),
    )
    now, binaries = "2025-01-02T03:04:05+00:00", {one: "0" * 64}
    facts = [
        Fact(one, "nan", "same"),
        Fact(other, "nan", "changed", "NaN", "null"),
        Fact(other, "inf", "failed", error="-"),
    ]
    write_json(path / "fidelity.json", Fidelity(PROTOCOL, now, binaries, facts))
    found = Fuzzed(one, scenario, "lib", "1.2.3", 0, 10, 8, 1, [Finding(one, scenario, 3, "hangs", "00ff")])
    write_json(path / "fuzz.json", Fuzzing(PROTOCOL, now, 10, 0, binaries, [found], {f"{other} {scenario}": "absent"}))
    program = CountedRunner(codec=one, sha256="0" * 64, stripped_over_nothing_bytes=8_000, compile_s=9.5)
    write_json(
        path / FOOTPRINT,
        footprints(program, created=now, cpu="Synthetic CPU"),
    )
    sent = [Transfer(one, scenario, None, 100, index, 300, 30_000 + index) for index in range(3)]
    (path / "network.jsonl").write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in sent))
    (path / "remarks.txt").write_text("The machine was shared.\n", encoding="utf-8")
    return path


@dataclass(frozen=True)
class Case:
    """A damage with a name; `harm` does it to a copy of a healthy run, `folder` is the name of that copy."""

    name: str
    harm: Callable[[Path], None]
    folder: str | bytes = "run"
    reads: bool = False
    """Whether commands must read it all the same: it is odd, and not wrong."""


def corpus() -> list[Case]:
    """Every case, each name once."""
    cases = [*_of_files(), *_of_fields(), *_of_numbers(), *_of_names(), *_of_texts(), *_of_structure(), *_of_paths()]
    assert len({case.name for case in cases}) == len(cases)
    return cases


def _torn(content: bytes) -> bytes:
    """Two thirds of a file, that end within a line."""
    place = len(content) * 2 // 3
    return content[: content.rfind(b"\n", 0, place) + 5]


def _of_files() -> Iterator[Case]:
    """Each file torn, of another encoding, or no file at all."""
    damages: dict[str, Callable[[bytes], bytes]] = {
        "empty": lambda _: b"",
        "torn": _torn,
        "garbage": lambda content: random.Random(7).randbytes(len(content)),
        "latin-1": lambda content: content[: len(content) // 2] + b"\xe9\xff" + content[len(content) // 2 :],
        "utf-16": lambda content: content.decode().encode("utf-16"),
        "bom": lambda content: b"\xef\xbb\xbf" + content,
        "nul": lambda content: content + bytes(64),
    }
    for name in FILES:
        for word, damage in damages.items():
            odd = {"remarks.txt": ("empty", "torn", "nul", "bom"), "network.jsonl": ("empty",)}.get(name, ())
            yield Case(f"{name}-{word}", _rewriting(name, damage), reads=word in odd)
        others = [("link", _link), ("dangling", _dangling), ("loop", _loop), ("pipe", _pipe), ("folder", _folder)]
        for word, harm in [*others, ("socket", _socket), ("huge", _huge)]:
            yield Case(f"{name}-{word}", _on(name, harm))
    for name in LINES:
        yield Case(f"{name}-endless-line", _on(name, _endless_line))
        yield Case(f"{name}-deep", _rewriting(name, lambda content: b"[" * 100_000 + b"\n" + content))
        yield Case(f"{name}-deep-field", _rewriting(name, _deep_field))
        yield Case(f"{name}-blank-line", _rewriting(name, lambda content: b"\n" + content))
    for name in DOCUMENTS:
        yield Case(f"{name}-deep", _rewriting(name, lambda _: b"[" * 1_000_000))
        yield Case(f"{name}-deep-unknown", _rewriting(name, lambda content: b'{"x":' + b"[" * 5_000 + content))
        yield Case(f"{name}-list", _rewriting(name, lambda _: b"[]"))
        yield Case(f"{name}-version-2", _document(name, lambda value: value.update(protocol=2)))
        yield Case(f"{name}-version-true", _document(name, lambda value: value.update(protocol=True)))
        yield Case(f"{name}-version-hostile", _document(name, lambda value: value.update(protocol=POISON)))
        yield Case(f"{name}-version-deep", _rewriting(name, lambda _: b'{"protocol":' + b"[" * 900 + b"]" * 900 + b"}"))
        yield Case(f"{name}-unknown-field", _document(name, lambda value: value.update({POISON: 1})))
        yield Case(
            f"{name}-repeated-key",
            _rewriting(name, lambda content: content.replace(b"{", b'{"protocol":7,', 1)),
            reads=True,
        )


def _of_fields() -> Iterator[Case]:
    """Every field of every file with a value of another type, then without it."""
    for name in FILES[:-1]:
        for number, keys in enumerate(_fields_of(name)):
            label = ".".join(map(str, keys))
            wrong = (None, True, -1, "x", [], {}, 1.5, 10**25, "", [[]], {"": None})[number % 11]
            yield Case(f"{name}-type-of-{label}", _editing(name, keys, _setting(wrong)), reads=True)
            if isinstance(keys[-1], str):
                yield Case(f"{name}-without-{label}", _editing(name, keys, _removing), reads=True)


def _of_numbers() -> Iterator[Case]:
    """Numbers that are no numbers, or far too large."""
    for keys in (
        ["plan", "seed"],
        ["plan", "samples"],
        ["plan", "rounds", "process-created"],
        ["environment", "memory"],
    ):
        label = ".".join(keys)
        for word, text in {
            "5000-digits": "9" * 5_000,
            "1e400": "1e400",
            "nan": "NaN",
            "infinity": "-Infinity",
            "2-to-64": str(2**64),
            "1e9": "1000000000",
            "negative": "-5",
            "minus-zero": "-0.0",
        }.items():
            yield Case(f"run.json-{label}-{word}", _number("run.json", keys, text), reads=True)
    for name, field in (
        ("samples.jsonl", "wall_ns"),
        ("processes.jsonl", "wall_s"),
        ("processes.jsonl", "round"),
        ("samples.jsonl", "index"),
        ("network.jsonl", "transfer_ns"),
        ("samples.jsonl", "encoded_bytes"),
    ):
        for word, text in {
            "5000-digits": "9" * 5_000,
            "1e400": "1e400",
            "nan": "NaN",
            "2-to-63": str(2**63),
            "1e308": "1e308",
            "negative": "-5",
            "tiny": "5e-324",
        }.items():
            yield Case(f"{name}-{field}-{word}", _number(name, [0, field], text), reads=True)
    yield Case("all-rounds-blocked-1e6", _run(_block_all), reads=True)
    yield Case("a-stage-of-older-records", _run(lambda run: run.update(stage="planned")))
    yield Case("old-another-stage", _run(lambda run: run.update(record=3, stage="measured", plan=None)))
    yield Case("old-drafted-nothing", _run(lambda run: run.update(record=3, stage="drafted", draft=None)))
    yield Case("old-drafted-rounds", _run(lambda run: run.update(record=3, stage="drafted", draft={"rounds": [[]]})))
    yield Case("pending-of-no-scenario", _run(lambda run: run.update(pending=["point"])))
    yield Case("pending-and-planned", _run(lambda run: run.update(pending=["process-created"])))
    yield Case("pending-hostile", _run(lambda run: run.update(pending=[POISON])))
    yield Case("order-of-other-scenarios", _run(lambda run: run["plan"].update(order=["x", "y", "x"])), reads=True)
    yield Case("another-state", _run(lambda run: run["plan"]["cells"][0].update(state="timid")))
    yield Case("no-repetitions", _run(lambda run: [cell.pop("repetitions") for cell in run["plan"]["cells"]]))
    yield Case(
        "published-split-larger-than-rounds", _scenario(lambda s: s["published"].update(split=10**6)), reads=True
    )
    yield Case("data-size-1", _scenario(lambda s: s.update(data_size_bytes=1, type="[f64]")), reads=True)
    yield Case("shard-of-a-billion", _run(lambda run: run["plan"].update(shard="1/999999999")), reads=True)
    yield Case("shard-hostile", _run(lambda run: run["plan"].update(shard=POISON)), reads=True)
    yield Case("times-at-their-limit", _samples(lambda s: s.update(wall_ns=limits.NANOSECONDS, cpu_ns=0)), reads=True)
    yield Case("times-at-their-least", _samples(lambda s: s.update(wall_ns=1, cpu_ns=limits.NANOSECONDS)), reads=True)
    yield Case(
        "sizes-at-their-limit",
        _samples(
            lambda s: s.update(
                encoded_bytes=limits.NUMBER,
                file_bytes=limits.NUMBER,
                allocations=limits.NUMBER,
                allocated_bytes=limits.NUMBER,
            )
        ),
        reads=True,
    )
    yield Case("sizes-of-0", _samples(lambda s: s.update(encoded_bytes=0)), reads=True)
    yield Case(
        "processes-at-their-limit",
        _processes(lambda p: p.update(wall_s=limits.SECONDS, peak_memory_bytes=limits.NUMBER)),
        reads=True,
    )
    yield Case(
        "processes-without-figures",
        _processes(lambda p: [p.pop(k, None) for k in ("wall_s", "peak_memory_bytes")]),
        reads=True,
    )


def _of_names() -> Iterator[Case]:
    """Names that are paths, options, devices or escape sequences, wherever a name stands."""
    hostile = {
        "up": "../../../x",
        "absolute": "/tmp/x",
        "drive": "C:\\x",
        "nul": "a\x00b",
        "newline": "a\nb",
        "trailing-newline": "linux-x86_64\n",
        "dash": "-x",
        "device": "con/nul",
        "escape": "\x1b[2J",
        "bidi": "a\u202eb",
        "long": "a" * 5_000,
        "empty": "",
        "dots": "..",
        "surrogate": "\udc80",
        "slash": "rust//x",
        "spaces": " ",
    }
    places: dict[str, Callable[[dict[str, Any], str], Any]] = {
        "id": lambda run, name: run.update(id=name),
        "platform": lambda run, name: run.update(platform=name),
        "created": lambda run, name: run.update(created=name),
        "codec": lambda run, name: run["plan"]["cells"][0]["cell"].update(codec=name),
        "scenario": lambda run, name: run["scenarios"][0].update(name=name),
        "build": lambda run, name: run["plan"]["cells"][0]["cell"]["conditions"].update(build=name),
        "format": lambda run, name: run["plan"]["cells"][0].update(format=name),
        "library": lambda run, name: run["plan"]["cells"][0].update(library=name),
        "table": lambda run, name: run["scenarios"][0]["published"].update(table=f"{name}#ProcessCreated"),
        "row": lambda run, name: run["scenarios"][0]["published"]["rows"].update({"rust/flat-message": name}),
    }
    for place, put in places.items():
        for word, name in hostile.items():
            yield Case(f"{place}-{word}", _run(lambda run, put=put, name=name: put(run, name)), reads=True)
    yield Case("table-of-honey", _run(lambda run: run["scenarios"][0]["published"].update(table="../../honey.csv#T")))
    yield Case(
        "network-table-of-honey",
        _scenario(lambda s: s["published"].update(networks=[{"rate_mbit_s": 100, "table": "../../honey.csv#T"}])),
    )
    yield Case(
        "table-of-another-publication", _scenario(lambda s: s["published"].update(table="brec.csv#Small Record"))
    )


def _of_texts() -> Iterator[Case]:
    """Escape sequences, HTML, Markdown and formulas in every text that is free."""
    free: dict[str, Callable[[Path], None]] = {
        "title": _scenario(lambda s: s.update(title=POISON)),
        "source": _scenario(lambda s: s.update(source=POISON)),
        "known": _scenario(lambda s: s.update(known_failures={POISON: POISON})),
        "filters": _run(lambda run: run["plan"].update(filters=[POISON], excludes=[POISON])),
        "command": _run(lambda run: run.update(command=[POISON])),
        "blocked": _run(_block_one),
        "environment": _run(
            lambda run: run.update(
                environment={
                    POISON: POISON,
                    "os": POISON,
                    "cpu": {"model": POISON},
                    "governor": POISON,
                    "virtualization": POISON,
                    "disk": {"file_system": POISON},
                }
            )
        ),
        "provenance": _run(
            lambda run: run["provenance"].update(
                {
                    POISON: [POISON],
                    "compilers": {POISON: POISON},
                    "unavailable": {POISON: POISON},
                    "toolchain": POISON[:90],
                    "hyperfine": POISON[:90],
                    "git_commit": POISON[:90],
                }
            )
        ),
        "errors": _processes(lambda p: p.update(error=POISON) if p.get("error") else None),
        "remarks": _rewriting("remarks.txt", lambda _: f"{POISON}\n- x\n1. y\n+ z\n# w\n    code\n".encode()),
        "verify": _document("verify.json", _poison_verify),
        "fidelity": _document(
            "fidelity.json",
            lambda value: [fact.update(probe=POISON, sent=POISON, got=POISON, error=POISON) for fact in value["facts"]],
        ),
        "footprint": _document(FOOTPRINT, lambda value: value.update(cpu=POISON, git_commit=POISON[:90])),
        "fuzz": _document(
            "fuzz.json",
            lambda value: (
                value.update(failures={POISON: POISON}),
                [f.update(problem=POISON, input_hex=POISON) for f in value["results"][0]["findings"]],
            ),
        ),
        "cell-of-a-sample": _rewriting(
            "samples.jsonl", lambda content: msgspec.json.encode({"cell": POISON}) + b"\n" + content
        ),
    }
    for word, harm in free.items():
        yield Case(f"text-{word}", harm, reads=True)
    yield Case(
        "text-all",
        lambda path: [harm(path) for word, harm in free.items() if word not in ("limit", "cell-of-a-sample")] and None,
        reads=True,
    )
    yield Case("text-long", _scenario(lambda s: s.update(title="x" * limits.TEXT)), reads=True)
    yield Case("text-too-long", _scenario(lambda s: s.update(title="x" * (limits.TEXT + 1))))
    yield Case("text-escaped-surrogate", _number("run.json", ["command"], '["\\ud800"]'))


def _of_structure() -> Iterator[Case]:
    """Files that are well by themselves and do not fit together."""
    yield Case("without-run", lambda path: (path / "run.json").unlink())
    for name in FILES[1:]:
        yield Case(f"without-{name}", lambda path, name=name: (path / name).unlink(), reads=True)
    yield Case("no-cells", _run(lambda run: run["plan"].update(cells=[])))
    yield Case("no-scenarios", _run(lambda run: run.update(scenarios=[])))
    yield Case("no-rounds", _run(lambda run: run["plan"].update(rounds={})))
    yield Case("no-twins", _run(lambda run: run["plan"].update(twins=[])))
    yield Case("strange-twin", _run(lambda run: run["plan"]["twins"][0].update(codec="rust/else")))
    yield Case("cell-twice", _run(lambda run: run["plan"]["cells"].append(run["plan"]["cells"][0])))
    yield Case("scenario-twice", _run(lambda run: run["scenarios"].append(run["scenarios"][0])))
    yield Case("scenario-without-cells", _run(_add_scenario), reads=True)
    yield Case("operations-twice", _scenario(lambda s: s.update(operations=["serialize"] * 6)), reads=True)
    yield Case("other-operations", _scenario(lambda s: s.update(operations=["write", "filter"])), reads=True)
    yield Case(
        "all-controls", _run(lambda run: [cell.update(control=True) for cell in run["plan"]["cells"]]), reads=True
    )
    yield Case(
        "no-controls", _run(lambda run: [cell.update(control=False) for cell in run["plan"]["cells"]]), reads=True
    )
    yield Case("many-cells", _run(_many_cells))
    yield Case("many-scenarios", _run(_many_scenarios), reads=True)
    yield Case("samples-twice", _rewriting("samples.jsonl", lambda content: content * 2))
    yield Case("processes-twice", _rewriting("processes.jsonl", lambda content: content * 2))
    yield Case(
        "samples-of-processes", lambda path: shutil.copy(path / "processes.jsonl", path / "samples.jsonl") and None
    )
    yield Case("everything-failed", _fail_all, reads=True)
    yield Case("unfinished-torn", _tear_unfinished, reads=True)
    yield Case("nested-environment", _run(lambda run: run["environment"].update(x=_nested(200))))
    yield Case("nested-value", _scenario(lambda s: s["input"].update(value=_nested(900))))
    yield Case("wide-environment", _run(lambda run: run["environment"].update(x=[[]] * 1_000_000)), reads=True)
    yield Case("quick", _run(lambda run: run["plan"].update(profile="quick")), reads=True)


def _of_paths() -> Iterator[Case]:
    """Folders whose names hold what a name may hold."""

    def nothing(_: Path) -> None:
        """Well inside."""

    names: dict[str, str | bytes] = {
        "newline": "a\nb",
        "escape": "a\x1b[2Jb",
        "dash": "-run",
        "spaces": " a b ",
        "bidi": "a\u202eb",
        "long": "a" * 250,
        "quotes": "a'\"`b",
        "markdown": "[a](b)<i>",
        "glob": "*?",
        "percent": "%s{}",
        "unicode": "läuft-ß",
    }
    if sys.platform == "linux":  # other systems let no such name be
        names["latin-1"] = b"a\xe9\xffb"
    for word, name in names.items():
        yield Case(f"path-{word}", nothing, name, reads=True)
        if word in ("newline", "escape", "latin-1", "dash"):
            yield Case(f"path-{word}-torn", _rewriting("run.json", lambda content: content[:99]), name)
            yield Case(f"path-{word}-empty", lambda path: [(path / file).unlink() for file in FILES] and None, name)


# how harm is done


def _rewriting(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: (path / name).write_bytes(change((path / name).read_bytes())) and None


def _on(name: str, harm: Callable[[Path], None]) -> Callable[[Path], None]:
    def instead(path: Path) -> None:
        (path / name).unlink()
        harm(path / name)

    return instead


def _link(path: Path) -> None:
    path.symlink_to("../honey" + path.suffix)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def _endless_line(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"cell":"')
        file.truncate(2**30)


def _deep_field(content: bytes) -> bytes:
    return content.replace(b'{"', b'{"x":' + b"[" * 50_000 + b"]" * 50_000 + b',"', 1)


def _document(name: str, change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def rewrite(content: bytes) -> bytes:
        value = json.loads(content)
        change(value)
        return json.dumps(value).encode()

    return _rewriting(name, rewrite)


def _run(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    return _document("run.json", change)


def _scenario(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    return _run(lambda run: change(run["scenarios"][0]))


def _each_line(name: str, change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def rewrite(content: bytes) -> bytes:
        values = [json.loads(line) for line in content.splitlines()]
        for value in values:
            change(value)
        return b"".join(json.dumps(value).encode() + b"\n" for value in values)

    return _rewriting(name, rewrite)


def _samples(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    return _each_line("samples.jsonl", change)


def _processes(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    return _each_line("processes.jsonl", change)


Keys = list[str | int]


def load(name: str, content: bytes) -> Any:
    return [json.loads(line) for line in content.splitlines()] if name in LINES else json.loads(content)


def dump(name: str, value: Any) -> bytes:
    if name in LINES:
        return b"".join(json.dumps(one).encode() + b"\n" for one in value)
    return json.dumps(value).encode()


def _editing(name: str, keys: Keys, change: Callable[[Any, Any], None]) -> Callable[[Path], None]:
    def rewrite(content: bytes) -> bytes:
        value = load(name, content)
        holder = value
        for key in keys[:-1]:
            holder = holder[key]
        change(holder, keys[-1])
        return dump(name, value)

    return _rewriting(name, rewrite)


def _setting(value: Any) -> Callable[[Any, Any], None]:
    return lambda holder, key: holder.__setitem__(key, value)


def _removing(holder: Any, key: Any) -> None:
    del holder[key]


def _number(name: str, keys: Sequence[str | int], text: str) -> Callable[[Path], None]:
    mark = "the-number-goes-here"

    def harm(path: Path) -> None:
        _editing(name, list(keys), _setting(mark))(path)
        _rewriting(name, lambda content: content.replace(f'"{mark}"'.encode(), text.encode()))(path)

    return harm


def _fields_of(name: str) -> list[Keys]:
    """Every field of a file of a healthy run; of a list the first element stands for all."""
    with tempfile.TemporaryDirectory() as folder:
        value = load(name, (healthy(Path(folder) / "run") / name).read_bytes())
    found: list[Keys] = []

    def walk(keys: Keys, value: Any) -> None:
        if len(keys) > (1 if name in LINES else 0):
            found.append(keys)
        if isinstance(value, dict):
            for key, inner in value.items():
                walk([*keys, key], inner)
        elif isinstance(value, list) and value:
            walk([*keys, 0], value[0])

    walk([], value)
    return [keys for keys in found if keys]


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _block_all(run: dict[str, Any]) -> None:
    run["plan"]["rounds"] = dict.fromkeys(run["plan"]["rounds"], limits.ROUNDS)
    for cell in run["plan"]["cells"]:
        _block(cell, "no")


def _block(cell: dict[str, Any], reason: str) -> None:
    for name in ("proved", "repetitions", "estimate_ns", "loops"):
        cell.pop(name, None)
    cell |= {"state": "blocked", "blocked": reason, "known_failure": False}


def _block_one(run: dict[str, Any]) -> None:
    extra = json.loads(json.dumps(run["plan"]["cells"][0]))
    extra["cell"]["codec"] = "rust/blocked"
    _block(extra, POISON)
    run["plan"]["cells"].append(extra)


def _add_scenario(run: dict[str, Any]) -> None:
    extra = json.loads(json.dumps(run["scenarios"][0])) | {"name": "extra"}
    run["scenarios"].append(extra)
    run["plan"]["rounds"]["extra"] = limits.ROUNDS


def _many_cells(run: dict[str, Any]) -> None:
    first = run["plan"]["cells"][0]
    run["plan"]["cells"] += [first | {"cell": first["cell"] | {"codec": f"rust/c{n}"}} for n in range(20_000)]


def _many_scenarios(run: dict[str, Any]) -> None:
    first = run["scenarios"][0] | {"input": {"sha256": "0" * 64, "value": 1}, "source": "x"}
    for number in range(3_000):
        run["scenarios"].append(first | {"name": f"s{number}"})
        run["plan"]["rounds"][f"s{number}"] = limits.ROUNDS


def _poison_verify(value: dict[str, Any]) -> None:
    value["verified"][0]["peers"] = [POISON]
    value["failures"][0].update(message=POISON, peer=POISON, known=POISON)
    for one in value["exchanges"]:
        one.update(writer=POISON, problem=POISON, known=POISON)


def _tear_unfinished(path: Path) -> None:
    _run(lambda run: run.update(finished=None))(path)
    _rewriting("samples.jsonl", lambda content: content[:-9])(path)


def _fail_all(path: Path) -> None:
    _processes(lambda process: process.update(error="no"))(path)
    (path / "samples.jsonl").write_bytes(b"")
