"""What a run is going to measure, as far as that is known before anything is built."""

import pytest

from bench.base import paths
from bench.measuring.stages import prospect
from bench.measuring.stages.prospect import offers


def test_a_codec_that_the_catalogue_lacks_is_left_out_where_nothing_is_to_be_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    monkeypatch.setattr(prospect, "codec_names", lambda _: {"rust/prost", "rust/pot"})
    monkeypatch.setattr(prospect, "extended", lambda *_: pytest.fail("it builds"))
    told: list[str] = []
    known = offers(told.append, sweeps=False, build=False)
    assert {cell.codec for cell in known.cells} == {"rust/prost"}
    assert told == [
        "left out: rust/pot, not in runners/catalogue.toml; `./lab catalogue` builds and adds what it lacks"
    ]
