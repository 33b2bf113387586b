"""Runs commands of `lab`, each in a process of its own that is forked from one which has imported everything.

    python tests/support/hostile/worker.py

reads a request a line from standard input (JSON: arguments, folder, root, seconds) and answers with what came of it:
exit code, output, time and peak memory. A command that takes longer is killed with all that it started.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEMORY_BYTES = 8 * 2**30
"""Beyond which a command gets no memory: far more than it may use, so that the machine survives what a test finds."""


def serve() -> None:
    """Answers requests until there are none."""
    import_all()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


def import_all() -> None:
    """What commands need; nothing of it is used here, so that no thread runs when a process is forked."""
    import altair
    import numpy
    import polars
    import vl_convert

    import analysis.data.merge
    import analysis.site.gather
    import analysis.site.write
    from bench import cli

    assert all((altair, numpy, polars, vl_convert, analysis.data.merge))
    # V8 makes this script anew in each process, which takes a second; here another one made it once
    made = subprocess.run(
        [sys.executable, "-c", "from analysis.site.write import vega_bundle; print(vega_bundle(), end='')"],
        capture_output=True,
        check=True,
    )
    analysis.site.write.vega_bundle = lambda: made.stdout.decode()  # type: ignore[assignment]
    for name in cli.lab.list_commands(None):  # type: ignore[arg-type]
        cli.lab.get_command(None, name)  # type: ignore[arg-type]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Runs one command."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            become(request, out.fileno(), err.fileno())
        hung = False
        while True:
            ended, status, usage = os.wait4(child, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > request["seconds"] and not hung:
                hung = True
                os.killpg(child, signal.SIGKILL)
            time.sleep(0.003)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="surrogateescape"))
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": texts[0],
        "err": texts[1],
        "hung": hung,
        "seconds": time.monotonic() - began,
        "peak_bytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }


def become(request: dict[str, Any], out: int, err: int) -> None:
    """The command itself, in the forked process; does not return."""
    code = 99
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.chdir(request["folder"])
        from analysis.commands import results
        from bench import cli

        results.ROOT = Path(request["root"])
        sys.argv = ["lab", *request["arguments"]]
        code = cli.ended(request["arguments"])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
