"""`lab catalogue`."""

import sys

import click

from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.files import read_text, write_whole
from bench.base.output import plural, say
from bench.base.paths import brief
from bench.base.progress import report

SECTION = "look after"


@click.command("catalogue")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if the file is not what would be written.")
def catalogue(check: bool) -> None:
    """Write what all runners offer into runners/catalogue.toml.

    Builds every runner and asks it; a codec that is unavailable here keeps what the file says of it. `lab list`,
    `lab bench --dry-run` and completion answer from this file. Write it again when a runner offers something else.
    """
    from bench.building.build import build
    from bench.building.manifest import checkout_codecs
    from bench.building.runner import Runner, RunnerError, describe_all
    from bench.scenarios.catalogue import FILE, Catalogue, load_catalogue
    from bench.scenarios.catalogue_text import text_of
    from bench.scenarios.load import load_scenarios
    from bench.scenarios.observed import observed_catalogue

    known, scenarios = checkout_codecs(), load_scenarios(sweeps=True)
    entries = (entry for entry in build(report).runners if not entry.variant and entry.codec in known)
    descriptions = []
    for runner, answer in describe_all(map(Runner, entries)).items():
        if isinstance(answer, RunnerError):
            report(f"{runner.codec} is unavailable here and keeps its entry: {answer}")
        else:
            descriptions.append(answer)
    file = observed_catalogue(descriptions, scenarios, load_catalogue().file, known)
    problems = [
        f"{difference}, unlike in other scenarios of its type: a field of the scenario's TOML must say why"
        for description in descriptions
        if (difference := Catalogue(file).difference(description, scenarios))
    ]
    text = text_of(file)
    if check and text != read_text(FILE):
        problems.append(f"{brief(FILE)} is not up to date: run `./lab catalogue`")
    for problem in problems:
        say(problem, err=True)
    if problems:
        sys.exit(EXIT_NOT_ALL_WELL)
    if not check:
        write_whole(FILE, text.encode())
    say(f"{brief(FILE)}: {plural(len(descriptions), 'codec')} asked, {len(file.codecs)} known")
