"""What RESULTS.md says of each run's programs: whether the newest commit still builds them."""

from analysis.render.recorded.runs_table import newest_programs, told_commits, told_programs
from analysis.render.terminal import escape
from bench.model.record import Run
from tests.support.recorded.submittable import Submittable


def a_run(commit: str, day: int, layouts: dict[str, list[str]]) -> Run:
    """A run of a commit and a day that linked these programs, each of which a letter stands for."""
    made = Submittable()
    links = {runner: [letter * 64 for letter in letters] for runner, letters in layouts.items()}
    made.changed = {
        "created": f"2025-01-{day:02}T03:04:05+00:00",
        "layouts": links,
        "provenance": made.run().provenance | {"git_commit": commit * 40},
    }
    return made.run()


OLD = a_run("a", 1, {"rust/prost": ["1", "2"], "rust/bson": ["3", "4"], "rust/gone": ["5"]})
NEW = a_run("b", 2, {"rust/prost": ["1"], "rust/bson": ["6", "3"]})
OTHER = a_run("b", 3, {"rust/bson": ["7"]})
COUNTED = a_run("c", 4, {})


def test_the_newest_commit_is_that_of_the_newest_run_with_links_and_has_the_programs_of_all_its_runs():
    newest, programs = newest_programs([COUNTED, OTHER, OLD, NEW])
    assert newest == "b" * 12
    assert programs == {"rust/prost": {"1" * 64}, "rust/bson": {"3" * 64, "6" * 64, "7" * 64}}


def test_a_program_is_equal_where_its_first_link_is_one_of_the_newest_commits():
    assert told_programs(OLD, newest_programs([OLD, NEW])[1]) == "2 of 2 codecs equal"
    assert told_programs(OLD, newest_programs([OLD, OTHER])[1]) == "0 of 1 codec equal"


def test_without_links_in_common_that_is_said():
    assert told_programs(COUNTED, newest_programs([OLD, NEW])[1]) == "no program in common"
    assert told_programs(OLD, newest_programs([COUNTED])[1]) == "no program in common"
    assert newest_programs([COUNTED]) == (None, {})


def test_runs_of_one_commit_say_so_and_a_run_of_another_one_is_named_with_its_programs():
    assert told_commits([NEW, OTHER]) == f"All of commit {'b' * 12}."
    assert told_commits([COUNTED]) == f"All of commit {'c' * 12}."
    both = told_commits([OLD, NEW, OTHER, COUNTED])
    assert both.startswith(f"All of commit {'b' * 12} but {escape(OLD.id)} of {'a' * 12}, 2 of 2 codecs equal; ")
    assert f"{escape(COUNTED.id)} of {'c' * 12}, no program in common. Equal: " in both
