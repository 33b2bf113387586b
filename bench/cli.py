"""The command `lab`. Each command is a file; it is imported only when it is called, so that `lab list` stays quick."""

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO, TextIOWrapper
from pathlib import Path

import click

from bench.base.errors import (
    EXIT_NOT_ALL_WELL,
    EXIT_REFUSED,
    LabError,
    no_memory,
    not_writable,
    own_mistake,
    system_refused,
)
from bench.base.output import say
from bench.base.paths import TRACEBACK_VARIABLE, WORK

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
    for name in ("stdout", "stderr"):  # whoever closed one wants to read nothing of it
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what is redirected on Windows would else be of its code page
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # whoever ends the lab so wants it to clear up, as with Ctrl-C
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    sys.exit(ended())


def ended(arguments: Sequence[str] | None = None) -> int:
    """Runs a command to its end: 0, 1, 2 or 69, with one line for its user where that is not 0.

    `arguments` are those of the process where none are given.
    """
    try:
        code = lab(arguments, prog_name="lab", standalone_mode=False)
        sys.stdout.flush()  # now, where a full disk or a closed pipe can still be told
    except SystemExit as end:
        code = end.code
    except LabError as error:
        return refused(str(error))
    except click.ClickException as error:
        text = StringIO()
        error.show(file=text)
        return refused(text.getvalue().rstrip(), error.exit_code, prefix="")
    except (click.Abort, KeyboardInterrupt):
        return refused("stopped.", EXIT_NOT_ALL_WELL)
    except BrokenPipeError:  # whoever read what is printed has seen enough
        leave_quietly()
        return EXIT_NOT_ALL_WELL
    except PermissionError as error:
        own = error.filename and Path(error.filename).is_relative_to(WORK)
        return refused(str(not_writable(error.filename) if own else system_refused(error)))
    except OSError as error:
        return refused(str(system_refused(error)))
    except MemoryError:
        return refused(str(no_memory()))
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exc()
        return refused(str(own_mistake(error)))
    return code if isinstance(code, int) else EXIT_NOT_ALL_WELL if code else 0


def refused(message: str, code: int = EXIT_REFUSED, prefix: str = "lab: ") -> int:
    """Says why a command ended, and with which exit code."""
    try:
        say(f"{prefix}{message}", err=True)
    except OSError:  # nobody listens
        leave_quietly()
    return code


def leave_quietly() -> None:
    """Lets what is still to be printed go nowhere, so that Python's end has nothing to complain of."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(nowhere, stream.fileno())


if __name__ == "__main__":
    main()
