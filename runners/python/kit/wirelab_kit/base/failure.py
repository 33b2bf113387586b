"""Every failure of a runner, with its exit code as sysexits.h numbers them."""


class Failure(Exception):  # noqa: N818 (the base of those below)
    """Why a runner failed. The message says what was wrong, where, and what to do."""

    exit_code = 70


class UsageError(Failure):
    """The command line asks for something that this runner does not offer."""

    exit_code = 64


class MalformedError(Failure):
    """The data is malformed."""

    exit_code = 65


class LibraryError(Failure):
    """The library failed at the data in a way that its callers take for no refusal; 70, as in a runner itself."""


class MemoryBudgetError(Failure):
    """The library asked for more memory than the data may take."""

    exit_code = 71


class InputError(Failure):
    """An input file cannot be read."""

    exit_code = 66


class StreamError(Failure):
    """Standard input cannot be read, or a result cannot be written."""

    exit_code = 74


def one_line(error: BaseException) -> str:
    """An exception as one line: its type, and its message with white space collapsed."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
