"""SECURITY.md: each promise names a test, and that test is there."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TEXT = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^\| (.+?) \| (`test_.+?`) \|$", TEXT, re.MULTILINE)


def test_every_promise_was_found():
    promised, _ = TEXT.split("## What is downloaded")
    rows = [line for line in promised.splitlines() if line.startswith("| ") and line != "| promise | test |"]
    assert len(rows) == len(PROMISES) > 20


@pytest.mark.parametrize(("promise", "test"), PROMISES)
def test_a_promise_is_held_by_a_test(promise, test):
    file, name = re.fullmatch(r"`(test_\w+\.py)::(test_\w+)`", test).groups()
    assert re.search(rf"^def {name}\(", next(TESTS.rglob(file)).read_text(encoding="utf-8"), re.MULTILINE), promise
