"""The command `lab`. Each command is a file; it is imported only when it is called, so that `lab list` stays quick."""

import importlib
import signal
import sys
from io import TextIOWrapper
from pathlib import Path

import click

from bench import errors
from bench.errors import EXIT_REFUSED, LabError
from bench.paths import WORK

COMMANDS = {
    "list": "bench.commands.list:list_cells",
    "manifest": "bench.commands.manifest:manifest",
    "build": "bench.commands.build:build_runners",
    "verify": "bench.commands.verify:verify_codecs",
    "interop": "analysis.commands.interop:interop",
    "fidelity": "bench.commands.fidelity:fidelity",
    "fuzz": "bench.commands.fuzz:fuzz",
    "bench": "bench.commands.bench:bench",
    "cell": "bench.commands.cell:cell",
    "doctor": "bench.commands.doctor:doctor",
    "table": "analysis.commands.table:table",
    "results": "analysis.commands.results:results",
    "claims": "analysis.commands.claims:claims",
    "compare": "analysis.commands.compare:compare",
    "rank": "analysis.commands.rank:rank",
    "network": "analysis.commands.network:network",
    "merge": "analysis.commands.merge:merge",
    "report": "analysis.commands.report:report",
    "export": "analysis.commands.export:export",
    "test": "bench.commands.test:test",
    "lint": "bench.commands.lint:lint",
}


class LazyGroup(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order in which a user meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Imports the command."""
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="wirelab", prog_name="lab")
def lab() -> None:
    """Wirelab: a reproducible lab for serialization formats.

    `lab bench` builds every codec's runner, proves it correct, measures it, records the run and prints the table.
    """


def main() -> None:
    """Runs a command; what its user has to know ends as a message and never as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what is redirected on Windows would else be of its code page
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # whoever ends the lab so wants it to clear up, as with Ctrl-C
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        lab(prog_name="lab")
    except LabError as error:
        click.echo(f"lab: {error}", err=True)
        sys.exit(EXIT_REFUSED)
    except PermissionError as error:
        if not (error.filename and Path(error.filename).is_relative_to(WORK)):
            raise
        click.echo(f"lab: {errors.not_writable(error.filename)}", err=True)
        sys.exit(EXIT_REFUSED)


if __name__ == "__main__":
    main()
