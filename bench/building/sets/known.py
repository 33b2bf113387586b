"""What was made before of the same inputs, kept from one command to the next in the lab's own folder."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from bench.base import paths
from bench.base.files import write_json

FILE = "digests.json"


def known_digest(name: str, inputs: str, make: Callable[[], str]) -> str:
    """The digest of a name that was made of these inputs, or else what `make` says, which is kept.

    Where nothing can be read or written it is made each time.
    """
    file, known = paths.STATE / FILE, dict[str, tuple[str, str]]()
    with suppress(OSError, msgspec.DecodeError):
        known = msgspec.json.decode(file.read_bytes(), type=dict[str, tuple[str, str]])
    if name in known and known[name][0] == inputs:
        return known[name][1]
    digest = make()
    if paths.STATE.is_dir():
        with suppress(OSError):
            write_json(file, known | {name: (inputs, digest)})
    return digest
