"""Text of others as text that can be shown: what would steer a terminal or hide its own order becomes visible.

A run folder, a runner's standard error and a path may hold any character. Control characters move the cursor, rename
the window or fill the clipboard (ECMA-48, OSC 52), bidirectional controls show letters in another order than they are
read in (Unicode TR 36, CVE-2021-42574), half a surrogate pair cannot be written at all. They appear as escapes.
"""

import re

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 controls, DEL, bidirectional controls, line and paragraph separators, surrogates."""
UNSAFE_IN_LINES = re.compile(UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The text on one line, every unsafe character as an escape such as `\\u001b`."""
    return UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The same where line ends are the lab's own and stay."""
    return UNSAFE_IN_LINES.sub(_escape, text)


def safe_json(encoded: bytes) -> bytes:
    """JSON that says the same, with the unsafe characters that JSON allows in strings written as its own escapes."""
    text = encoded.decode()
    if text.isascii() and "\x7f" not in text:
        return encoded
    return UNSAFE_IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:  # a byte of a path that is not UTF-8, as Python keeps it
        return f"\\x{number - 0xDC00:02x}"
    return SHORT.get(character, f"\\u{number:04x}")
