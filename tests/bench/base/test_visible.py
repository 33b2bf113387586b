"""Characters that would act on a terminal are shown as escapes, and nothing else changes."""

import json
from pathlib import Path

import pytest

from bench.base.paths import brief
from bench.base.visible import UNSAFE, safe_json, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\u001b[2Jb"),
        ("\x9b\x7f", "\\u009b\\u007f"),
        ("\u202ea", "\\u202ea"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u2028\u2066\u061c", "\\u2028\\u2066\\u061c"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("µ×–é 👍", "µ×–é 👍"),
    ],
)
def test_unsafe_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert brief(Path(text)) == shown


def test_json_says_the_same_without_control_characters() -> None:
    text = json.dumps({"a": "\x1b\x9b\u202e\x7f\u2028µ"}, ensure_ascii=False).encode()
    safe = safe_json(text)
    assert json.loads(safe) == json.loads(text)
    assert not UNSAFE.search(safe.decode()) and "µ" in safe.decode()
