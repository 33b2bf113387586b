"""JSON values without loss: no key twice, no number that JSON does not have, integers of any size, -0 as -0.0.

A number with a fraction or an exponent is the nearest f64, as every JSON library reads it.
"""

import json
import math
from typing import Any

import msgspec

DEEPEST = 100
"""How deep values may be nested; deeper ones have more levels of structs than compilers take well."""


class NotExactError(ValueError):
    """A text that is no JSON, or JSON whose value is not unambiguous; says why."""


def decode(text: bytes) -> Any:
    """The value of a text. Raises NotExactError."""
    try:
        value = msgspec.json.decode(text)
        # Who writes the same bytes again has read no key twice, no -0 and no number in a form that hides something.
        if msgspec.json.encode(value) == text:
            return value
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    return decode_carefully(text)


def decode_carefully(text: bytes) -> Any:
    """The same, by Python's own reader, which tells what is wrong and where."""
    try:
        value = DECODER.decode(text.decode())
    except UnicodeDecodeError as error:
        raise NotExactError(f"byte {error.start + 1} is not UTF-8. Convert the file to UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotExactError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise too_deep() from None
    check_text(value)
    return value


def check_text(value: Any) -> None:
    """Raises NotExactError where a string is no text."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise NotExactError(
            f"a string holds half a surrogate pair (\\u{code:04x}), which is no character. Repair or remove it"
        ) from None
    except RecursionError:
        raise too_deep() from None


def too_deep() -> NotExactError:
    """Of a value that is nested too deep."""
    return NotExactError(f"is nested deeper than {DEEPEST} levels. Move the inner part into a message of its own")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotExactError(f"the key {twice!r:.80} stands twice in one object. Remove one of them")
    return result


def _integer(text: str) -> int | float:
    if text == "-0":
        return -0.0
    try:
        return int(text)
    except ValueError:
        raise NotExactError(f"an integer has {len(text):,} digits; 128 bits have 39. Write it as a string") from None


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotExactError(f"the number {text:.40} is beyond the range of an f64. Write it as a string")
    return number


def _constant(name: str) -> Any:
    raise NotExactError(f"{name} is no JSON. Write null in its place, or leave the key out")


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
"""Python's reader, which refuses what loses something."""
