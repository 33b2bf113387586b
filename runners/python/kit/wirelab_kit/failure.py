"""All that can go wrong in a runner, as the user reads it, and the exit code of each (as sysexits.h numbers them)."""


class Failure(Exception):  # noqa: N818 (the base of those below)
    """Why a runner ends without doing what it was asked to. The text says what, where and what to do."""

    exit_code = 70


class UsageError(Failure):
    """The command line asks for what this runner does not offer."""

    exit_code = 64


class MalformedError(Failure):
    """Data does not have the form that it should have."""

    exit_code = 65


class InputError(Failure):
    """An input file cannot be read."""

    exit_code = 66


class StreamError(Failure):
    """A result cannot be written, or standard input not be read."""

    exit_code = 74


def one_line(error: BaseException) -> str:
    """An exception as a line: its type, and what it says with its white space run together."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
