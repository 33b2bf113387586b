"""A runner's program: serves one command of the runner protocol and sets the exit code."""

import argparse
import sys
from typing import NoReturn

from wirelab_kit.base.failure import Failure, UsageError, one_line
from wirelab_kit.model.codec import Codec
from wirelab_kit.model.kind import Offer, Scenarios


class Parser(argparse.ArgumentParser):
    """Ends with the exit code of all runners for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and the usage."""
        self.print_usage(sys.stderr)
        self.exit(UsageError.exit_code, f"{self.prog}: {message}\n")


def parser(name: str) -> Parser:
    """The command line that every runner has: the runner protocol."""
    top = Parser(prog=name, description="A runner of Wirelab: one codec behind the lab's runner protocol.")
    commands = top.add_subparsers(dest="command", required=True, parser_class=Parser)
    commands.add_parser("describe", help="print what this runner is and which cells it offers, as one JSON object")
    encode = commands.add_parser("encode", help="canonical JSON from standard input → bytes on standard output")
    decode = commands.add_parser("decode", help="bytes from standard input → canonical JSON on standard output")
    measure = commands.add_parser("measure", help="time one cell and append a JSON line a sample to a file")
    fidelity = commands.add_parser("fidelity", help="encode and decode one special value and compare the result")
    canary = commands.add_parser("canary", help="time canaries alone and print them as one JSON object")
    compress = commands.add_parser("compress", help="the output of encode → compressed bytes, as in a cell")
    decompress = commands.add_parser("decompress", help="compressed bytes → the input of decode")
    for command in (compress, decompress):
        command.add_argument(
            "--compression", required=True, metavar="NAME", help="a compression, as the cells of describe name it"
        )
    for command in (compress, decompress, measure):
        command.add_argument("--scenario", required=True, help="the scenario whose type to use")
    for command in (encode, decode):
        types = command.add_mutually_exclusive_group(required=True)
        types.add_argument("--scenario", help="the scenario whose type to use")
        types.add_argument("--type", choices=["any"], help="any value, in the notation of schemaless values")
    decode.add_argument("--batch", action="store_true", help="many messages, each behind its length, to many answers")
    fidelity.add_argument("--probe", required=True, help="one of those that describe names")
    measure.add_argument("--operation", required=True, help="one of those that describe names")
    measure.add_argument(
        "--condition",
        type=condition,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a condition of the cell; repeat it until one cell is left",
    )
    measure.add_argument("--input", required=True, metavar="FILE", help="the scenario's canonical JSON")
    measure.add_argument("--work", required=True, metavar="FOLDER", help="an existing folder for file operations")
    measure.add_argument("--repetitions", required=True, type=count, metavar="N", help="in each timed loop")
    measure.add_argument("--warmup", required=True, type=count, metavar="W", help="before the first timed loop")
    measure.add_argument("--samples", required=True, type=count, metavar="M", help="timed loops")
    measure.add_argument("--out", required=True, metavar="FILE", help="the file to append the samples to")
    measure.add_argument("--offset", default=0, type=count, metavar="BYTES", help="heap to take before preparing")
    measure.add_argument(
        "--copy-canary", default=0, type=count, metavar="BYTES", help="bytes that a second canary copies; with 0, none"
    )
    canary.add_argument("--seconds", required=True, type=seconds, metavar="S", help="how long to run canaries")
    canary.add_argument(
        "--copy", default=0, type=count, metavar="BYTES", help="bytes that a second canary copies; with 0, none"
    )
    return top


def condition(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("a condition has the form NAME=VALUE, like gc=on")
    return name, value


def count(text: str) -> int:
    """A number that is not negative."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count")
    return int(text)


def seconds(text: str) -> float:
    """A time that is not negative, and not without end."""
    try:
        if 0 <= (number := float(text)) < float("inf"):
            return number
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")


def serve(codec: Codec, scenarios: Scenarios) -> NoReturn:
    """Serves the command in the process's arguments. The codec's name is that of the runner's file."""
    name = f"python/{own_name(sys.argv[0])}"
    given = parser(name).parse_args()
    try:
        run(Offer(codec, scenarios), name, given)
    except Failure as failure:
        sys.stderr.write(f"{name}: {failure}\n")
        sys.exit(failure.exit_code)
    except Exception as error:
        sys.stderr.write(f"{name}: internal error: {one_line(error)}; please report it with this command line\n")
        sys.exit(Failure.exit_code)
    sys.exit(0)


def own_name(program: str) -> str:
    """The codec's name, from `…/NAME.pyz` as built or from `…/NAME/codec.py` as it lies in the sources."""
    folder, _, file = program.replace("\\", "/").rpartition("/")
    return file.removesuffix(".pyz") if file.endswith(".pyz") else folder.rpartition("/")[2]


def run(offer: Offer, name: str, given: argparse.Namespace) -> None:
    """Runs one command. Imports only what the command needs."""
    if given.command == "measure":
        from wirelab_kit.commands.measure import measure

        measure(offer, given)
    elif given.command == "describe":
        from wirelab_kit.commands.describe import describe

        sys.stdout.write(describe(offer, name))
    elif given.command == "canary":
        from wirelab_kit.commands.canary import canaries

        sys.stdout.write(canaries(given.seconds, given.copy))
    elif given.command == "fidelity":
        from wirelab_kit.commands.fidelity import fidelity

        fidelity(offer.codec, given.probe)
    elif given.command in ("compress", "decompress"):
        from wirelab_kit.commands import transcode

        {"compress": transcode.compress, "decompress": transcode.decompress}[given.command](
            offer, given.scenario, given.compression
        )
    elif given.type:
        from wirelab_kit.commands import schemaless

        any_type = {"encode": schemaless.encode_any, "decode": schemaless.decode_any}[given.command]
        (schemaless.decode_any_batch if getattr(given, "batch", False) else any_type)(offer.codec)
    else:
        from wirelab_kit.commands import transcode

        command = {"encode": transcode.encode, "decode": transcode.decode}[given.command]
        (transcode.decode_batch if getattr(given, "batch", False) else command)(offer, given.scenario)
