"""Data as users have it, made by rules: the shapes are those of GitHub's events, of GeoJSON and of OpenTelemetry's spans."""

import json
import random
import sys
from pathlib import Path
from typing import Any

from bench.base import paths
from bench.base.files import sha256_of, write_json
from bench.base.protocol import PROTOCOL
from bench.model.description import Manifest, RunnerEntry
from tests.support.lab import Lab, know_processor

RUNNER = Path(__file__).with_name("data_runner.py")
HOSTILE_KEYS = ["", 'a"b', "*/", "//", "line\nbreak", "\u202e", "x" * 10_000, "class", "type", "fn", "userId"]
HOSTILE_KEYS += ["user_id", "日本", "{{ x }}", "#{", "%", "\\", "\x00", "'", "a.b", "𝄞", "\x7f"]


def events(count: int) -> list[dict[str, Any]]:
    """Events of a few kinds, whose payloads differ."""
    source = random.Random(1)
    return [event(source, number) for number in range(count)]


def event(source: random.Random, number: int) -> dict[str, Any]:
    kind = source.choice(["PushEvent", "WatchEvent", "IssuesEvent"])
    payload: dict[str, Any] = {"action": source.choice(["opened", "closed", "started"])}
    if kind == "PushEvent":
        payload = {
            "ref": "refs/heads/main",
            "size": source.randrange(4),
            "commits": [
                {"sha": f"{source.getrandbits(160):040x}", "distinct": True} for _ in range(source.randrange(4))
            ],
        }
    return {
        "id": str(source.getrandbits(40)),
        "type": kind,
        "actor": {"id": source.getrandbits(33), "login": f"user{source.randrange(1000)}"},
        "repo": {"id": source.getrandbits(30), "name": "a/b"},
        "payload": payload,
        "public": True,
        "created_at": f"2026-01-{1 + number % 28:02}T00:00:00Z",
        "org": {"id": 1, "login": "org"} if number % 3 else None,
    }


def geography(count: int) -> dict[str, Any]:
    """A collection of areas."""
    source = random.Random(2)
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": f"area {number}", "people": source.randrange(10**6)},
                "geometry": {
                    "type": "Polygon",
                    "coordinates": [[[source.uniform(-180, 180), source.uniform(-90, 90)] for _ in range(5)]],
                },
            }
            for number in range(count)
        ],
    }


def spans(count: int) -> list[dict[str, Any]]:
    """Spans of traces, with attributes of one type."""
    source = random.Random(3)
    begin = 1_700_000_000_000_000_000
    return [
        {
            "traceId": f"{source.getrandbits(128):032x}",
            "spanId": f"{source.getrandbits(64):016x}",
            "parentSpanId": f"{source.getrandbits(64):016x}" if number % 4 else None,
            "name": source.choice(["GET /", "POST /users", "SELECT"]),
            "kind": source.choice(["SERVER", "CLIENT", "INTERNAL"]),
            "startTimeUnixNano": begin + source.getrandbits(40),
            "endTimeUnixNano": begin + source.getrandbits(41),
            "attributes": [
                {"key": "http.status_code", "value": {"intValue": source.choice([200, 404])}},
                {"key": "peer", "value": {"stringValue": "db"}},
            ],
            "status": {"code": source.randrange(3)},
            "load": source.random(),
        }
        for number in range(count)
    ]


def json_lines(path: Path, messages: list[Any]) -> Path:
    """Writes messages as JSON Lines."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages), "utf-8")
    return path


def data_entry(name: str, mischief: str = "none") -> RunnerEntry:
    """A codec that takes messages of any type."""
    codec = f"fake/{name}"
    command = [sys.executable, "-S", str(RUNNER), codec, mischief]
    return RunnerEntry(codec, command, "fake", "1.0.0", sha256_of(RUNNER), program=str(RUNNER))


class DataLab(Lab):
    """The command `lab` over codecs that take messages of any type, for one data file's scenario."""

    def __init__(self, folder: Path, entries: list[RunnerEntry], scenario: str, *, single: bool = False) -> None:
        super().__init__(folder, entries)
        self.environment |= {"LAB_WORK": str(folder / "work"), "DATA_SCENARIOS": scenario}
        self.environment |= {"DATA_SINGLE": scenario} if single else {}
        know_processor(folder / "work")
        if paths.hyperfine().exists():  # else each lab builds its own, in its own folder
            self.environment[paths.HYPERFINE_VARIABLE] = str(paths.hyperfine().resolve())
        write_json(self.manifest, Manifest(PROTOCOL, "host", "0" * 64, entries))
