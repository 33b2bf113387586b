"""What README.md says of recorded runs whose commit this history lacks: another commit builds their programs."""

import re

from analysis.data.machines.run_paths import runs_below
from bench.base.paths import ROOT
from bench.records.run_file import read_run_file

SENTENCE = re.compile(
    r"runs of commit (\w{12}), which this history lacks\. Commit (\w{12}) builds their programs to the bit, "
    r"but for (\w+)'s"
)


def programs_of(commit: str) -> dict[str, set[str]]:
    """Runner → SHA-256 of the first layout that each recorded run of the commit linked."""
    programs: dict[str, set[str]] = {}
    for path in runs_below([ROOT / "results"]):
        run = read_run_file(path)
        if str(run.provenance.get("git_commit")).startswith(commit):
            for runner, links in run.layouts.items():
                programs.setdefault(runner, set()).add(links[0])
    return programs


def test_another_commit_builds_the_programs_of_the_runs_that_readme_names():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = SENTENCE.search(text)
    assert said, "README.md names no lost commit any more. If no recorded run has one, remove this test"
    lost, present, exception = said.groups()
    old, new = programs_of(lost), programs_of(present)
    both = old.keys() & new.keys()
    assert len(both) > 50
    assert {runner for runner in both if not old[runner] <= new[runner]} == {
        runner for runner in both if runner.partition("/")[2].startswith(exception)
    }
