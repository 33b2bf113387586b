"""Foreign text made safe to print: characters that steer a terminal or reorder text become visible escapes.

A run folder, a runner's standard error and a path may hold any character. Control characters move the cursor, rename
the window or fill the clipboard (ECMA-48, OSC 52); bidirectional controls display characters in another order than
they are read in (Unicode TR 36, CVE-2021-42574); half a surrogate pair cannot be encoded at all.
"""

import re

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 controls, DEL, bidirectional controls, line and paragraph separators, surrogates."""
UNSAFE_IN_LINES = re.compile(UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The text on one line, with every unsafe character as an escape such as `\\u001b`."""
    return UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The same for text whose line ends are the lab's own; these stay."""
    return UNSAFE_IN_LINES.sub(_escape, text)


def safe_json(encoded: bytes) -> bytes:
    """The same JSON, with the unsafe characters that its strings may hold written as JSON escapes."""
    text = encoded.decode()
    if text.isascii() and "\x7f" not in text:
        return encoded
    return UNSAFE_IN_LINES.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:  # a byte of a path that is not UTF-8, as Python keeps it
        return f"\\x{number - 0xDC00:02x}"
    return SHORT.get(character, f"\\u{number:04x}")
