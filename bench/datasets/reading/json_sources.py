"""Messages of JSON files: an object, a list of objects, or an object a line."""

import json
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from bench.datasets.reading.exact_json import DECODER, NotExactError, check_text, decode, too_deep

MARK = b"\xef\xbb\xbf"
CHUNK_CHARACTERS = 1 << 22
SPACE = " \t\r\n"
LONGEST_TOKEN = 16
"""Characters of what a reader takes at once, strings and numbers aside: a literal, or two escaped surrogates."""


class AtError(NotExactError):
    """Something wrong in a line."""

    def __init__(self, at: int, problem: str) -> None:
        super().__init__(problem)
        self.at = at


def stands_in_lines(path: Path) -> bool:
    """Whether the first line with anything on it is a whole object; of a file that begins with an object."""
    with path.open("rb") as file:
        first = file.readline(1 << 24).removeprefix(MARK).strip()
        while not first and (line := file.readline(1 << 24)):
            first = line.strip()
    try:
        return isinstance(decode(first), dict)
    except NotExactError:
        return False


def read_lines(path: Path, most_bytes: int) -> Iterator[tuple[int, Any]]:
    """A value a line; empty lines are skipped. Raises NotExactError."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(most_bytes + 1):
            number += 1
            if len(line) > most_bytes:
                raise AtError(number, _too_long(most_bytes))
            text = (line.removeprefix(MARK) if number == 1 else line).strip()
            if text:
                try:
                    yield number, decode(text)
                except NotExactError as error:
                    raise AtError(number, str(error)) from None


def read_document(path: Path, most_bytes: int) -> Iterator[tuple[int, Any]]:
    """The elements of a list, or one value, each with the line where it begins. Raises NotExactError."""
    with path.open("rb") as binary, TextIOWrapper(binary, "utf-8-sig", newline="") as file:
        text = _Text(file, most_bytes)
        if text.peek() != "[":
            yield text.line, text.value()
        else:
            text.skip()
            while text.peek() != "]":
                yield text.line, text.value()
                if text.peek() == ",":
                    text.skip()
                elif text.peek() != "]":
                    raise AtError(text.line, "not JSON: ',' or ']' was expected after an element of the list")
            text.skip()
        if text.peek():
            raise AtError(text.line, "not JSON: something follows the end of the document")


class _Text:
    """A long text of which a window is held in memory."""

    def __init__(self, file: TextIOWrapper, most: int) -> None:
        self._file, self._most = file, most
        self._held, self._next, self._done = "", 0, False
        self.line = 1
        """Of what comes next."""

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._next < len(self._held) and self._held[self._next] in SPACE:
                self.skip()
            if self._next < len(self._held) or not self._more():
                return self._held[self._next : self._next + 1]

    def skip(self) -> None:
        """Takes a character."""
        self.line += self._held[self._next] == "\n"
        self._next += 1

    def value(self) -> Any:
        """Takes a value."""
        self.peek()
        while True:
            try:
                value, end = DECODER.raw_decode(self._held, self._next)
                if end < len(self._held) or not self._more():  # a number could go on
                    break
            except json.JSONDecodeError as error:
                # What the window cuts off looks like a mistake; it is one if the whole text has it, or if it is far
                # from the cut. Of a string that the window cuts off the beginning is named.
                lines = self._held.count("\n", self._next, error.pos)
                cut = error.pos + LONGEST_TOKEN > len(self._held) or error.msg.startswith("Unterminated string")
                if not (cut and self._more()):
                    line = self.line + lines
                    raise AtError(line, f"not JSON: {error.msg} at column {error.colno}") from None
            except RecursionError:
                raise AtError(self.line, str(too_deep())) from None
            except NotExactError as error:
                raise AtError(self.line, f"in the value that begins here: {error}") from None
        try:
            check_text(value)
        except NotExactError as error:
            raise AtError(self.line, f"in the value that begins here: {error}") from None
        self.line += self._held.count("\n", self._next, end)
        self._next = end
        return value

    def _more(self) -> bool:
        """Reads on; false at the end of the file."""
        if self._done:
            return False
        self._held, self._next = self._held[self._next :], 0
        if len(self._held) > self._most:
            raise AtError(self.line, _too_long(self._most))
        try:
            read = self._file.read(max(CHUNK_CHARACTERS, len(self._held)))
        except UnicodeDecodeError:
            raise AtError(self.line, "this value, or one after it, is not UTF-8. Convert the file to UTF-8") from None
        self._held += read
        self._done = not read
        return bool(read)


def _too_long(most: int) -> str:
    return f"a message has more than {most >> 20} MiB. Divide it into several messages"
