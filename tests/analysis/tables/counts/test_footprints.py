"""Footprints are shown of the default build, as the newest run of one machine has them."""

from analysis.data.judged.extras import Extras
from analysis.render.recorded.answers_page import answers_page
from analysis.tables.counts.footprints import FootprintTable, footprint_grid, footprint_words, footprints_of
from analysis.tables.trust.answered import Answers
from analysis.tables.trust.shares import Trust
from bench.model.counts import CountedRunner
from tests.support.recorded.submittable import footprints

EARLIER, LATER = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"


def program(codec: str, size: int | None, *, packages: int | None = 3, seconds: float | None = 14.23) -> CountedRunner:
    return CountedRunner(
        codec=codec,
        sha256="0" * 64,
        stripped_over_nothing_bytes=size,
        packages=packages,
        packages_over_nothing=packages,
        compile_s=seconds,
    )


def recorded(created: str, *programs: CountedRunner, cpu: str = "a CPU") -> Extras:
    return Extras(footprints=footprints(*programs, created=created, cpu=cpu))


OLD = recorded(EARLIER, program("rust/a", 9_000), program("rust/b", 7_000))
NEW = recorded(LATER, program("rust/a", 8_000), program("python/c", None))


def test_the_newest_counts_and_scripts_have_none():
    found = footprints_of([NEW, Extras(), OLD]).programs
    assert {codec: one.stripped_over_nothing_bytes for codec, one in found.items()} == {
        "rust/a": 8_000,
        "rust/b": 7_000,
    }


def test_builds_of_two_machines_stand_in_no_table_together():
    found = footprints_of([OLD, recorded(LATER, program("rust/b", 6_000), cpu="another CPU")])
    assert (found.machine, [*found.programs]) == ("another CPU, linux-x86_64", ["rust/b"])
    assert footprints_of([Extras()]).programs == {}


def test_the_lead_says_what_a_build_takes_without_a_codec():
    found = footprints_of([recorded(EARLIER, program("rust/a", 9_000), program("rust/noop", 0, seconds=38.21))])
    assert found.among({"rust/a"}).lead.endswith(", on a CPU, linux-x86_64; rust/noop alone takes 38.2 s.")
    assert footprints_of([OLD]).lead.endswith(", on a CPU, linux-x86_64.")


def test_the_smallest_program_of_each_language_comes_first():
    found = footprints_of([OLD, recorded(LATER, program("cpp/z", 99_000, packages=None))])
    (section,) = footprint_grid(found).sections
    assert section.rows == (
        (("cpp/z",), ("99,000",), ("–",), ("14.2 s",)),
        (("rust/b",), ("7,000",), ("3",), ("14.2 s",)),
        (("rust/a",), ("9,000",), ("3",), ("14.2 s",)),
    )


def test_what_is_not_known_is_not_said():
    over, build = (
        "Footprint, over the control that does nothing:",
        "its clean build on a CPU, linux-x86_64 took 14.2 s.",
    )
    one = program("rust/one", 1, packages=1)
    bare = program("cpp/a", 9_000, packages=None, seconds=None)
    found = footprints_of([recorded(EARLIER, program("rust/a", 9_000), one, bare)])
    assert footprint_words(found, "rust/a") == (f"{over} 9,000 bytes and 3 packages; {build}",)
    assert footprint_words(found, "rust/one") == (f"{over} 1 byte and 1 package; {build}",)
    assert footprint_words(found, "cpp/a") == (f"{over} 9,000 bytes.",)
    assert footprint_words(found, "rust/other") == ()


def test_the_page_has_them_where_they_are_recorded():
    page = answers_page({"rust/b": Trust()}, Answers(), footprints_of([OLD]))
    assert "## Footprint" in page
    assert "| rust/b | 7,000 | 3 | 14.2 s |" in page
    assert "rust/a" not in page, "who was asked nothing else is a control"
    assert "Footprint" not in answers_page({}, Answers(), FootprintTable())
