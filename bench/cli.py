"""The command `lab`: its group, and how every command ends."""

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
from bench.base.paths import ROOT, TRACEBACK_VARIABLE, WORK
from bench.commands.group import LabGroup


@click.group(cls=LabGroup, folders=ROOT.glob("*/commands"), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="wirelab", prog_name="lab")
def lab() -> None:
    """Wirelab: a reproducible lab for serialization formats.

    `lab bench` builds every codec's runner, proves it correct, measures it, records the run and prints the table.
    """


def main() -> None:
    """Runs a command. What goes wrong is told by a message, never by a traceback."""
    for name in ("stdout", "stderr"):  # who closed one does not want to read it
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # on Windows redirected output would have its code page
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # the lab clears up then, as with Ctrl-C
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    sys.exit(ended())


def ended(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code: 0, 1, 2 or 69, the last three with a message.

    Without `arguments` those of the process are taken.
    """
    try:
        code = lab(arguments, prog_name="lab", standalone_mode=False)
        sys.stdout.flush()  # now, while a full disk or a closed pipe can still be reported
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
    except BrokenPipeError:  # the reader has seen enough
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
    """Prints why a command ended and returns its exit code."""
    try:
        say(f"{prefix}{message}", err=True)
    except OSError:  # nobody listens
        leave_quietly()
    return code


def leave_quietly() -> None:
    """Sends buffered output to the null device, so that Python does not fail to flush it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(nowhere, stream.fileno())


if __name__ == "__main__":
    main()
