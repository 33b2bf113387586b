"""Footprints are shown of the default build, as the newest run has them."""

from analysis.data.judged.extras import Extras
from analysis.render.recorded.answers_page import answers_page
from analysis.tables.counts.footprints import footprint_grid, footprint_words, footprints_of
from analysis.tables.trust.answered import Answers
from bench.model.counts import CountedRunner, Footprints


def program(codec: str, size: int | None, *, packages: int | None = 3, seconds: float | None = 14.23) -> CountedRunner:
    return CountedRunner(
        codec=codec,
        sha256="0" * 64,
        stripped_over_nothing_bytes=size,
        packages=packages,
        packages_over_nothing=packages,
        compile_s=seconds,
    )


def recorded(created: str, *programs: CountedRunner) -> Extras:
    return Extras(
        footprints=Footprints(
            protocol=1,
            created=created,
            platform="linux-x86_64",
            cpu=None,
            git_commit=None,
            git_dirty=None,
            runners=[*programs],
        )
    )


OLD = recorded("2026-01-01T00:00:00+00:00", program("rust/a", 9_000), program("rust/b", 7_000))
NEW = recorded("2026-01-02T00:00:00+00:00", program("rust/a", 8_000), program("python/c", None))


def test_the_newest_counts_and_scripts_have_none():
    found = footprints_of([NEW, Extras(), OLD])
    assert {codec: one.stripped_over_nothing_bytes for codec, one in found.items()} == {
        "rust/a": 8_000,
        "rust/b": 7_000,
    }


def test_the_smallest_program_of_each_language_comes_first():
    found = footprints_of([OLD, recorded(NEW.footprints.created, program("cpp/z", 99_000, packages=None))])
    (section,) = footprint_grid(found).sections
    assert section.rows == (
        (("cpp/z",), ("99,000",), ("–",), ("14.2 s",)),
        (("rust/b",), ("7,000",), ("3",), ("14.2 s",)),
        (("rust/a",), ("9,000",), ("3",), ("14.2 s",)),
    )


def test_what_is_not_known_is_not_said():
    over = "Footprint, over the control that does nothing:"
    assert footprint_words(program("rust/a", 9_000)) == (
        f"{over} 9,000 bytes of program and 3 packages; its clean build took 14.2 s."
    )
    assert footprint_words(program("cpp/a", 9_000, packages=None, seconds=None)) == f"{over} 9,000 bytes of program."


def test_the_page_has_them_where_they_are_recorded():
    page = answers_page({}, Answers(), footprints_of([OLD]))
    assert "## Footprint" in page
    assert "| rust/b | 7,000 | 3 | 14.2 s |" in page
    assert "Footprint" not in answers_page({}, Answers(), {})
