"""Which codecs a user's data is tried with."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from bench.base import errors
from bench.base.files import read_toml
from bench.base.paths import RUNNERS
from bench.datasets.shortcomings import shortcomings
from bench.model.fields import CodecName, Version
from bench.model.findings import Shortcoming
from bench.model.offers import Feature, Offered
from bench.scenarios.selection import Selection
from bench.types.definitions import Defined
from bench.types.expressions import Named

DEFAULTS = RUNNERS / "try.toml"


class Defaults(Struct, frozen=True, forbid_unknown_fields=True):
    """runners/try.toml: the codecs that are tried unless others are named."""

    protocol: Version
    codecs: Annotated[list[CodecName], Meta(min_length=1)]


class Candidate(Struct, frozen=True):
    """A codec that was chosen, and what it has no form for."""

    codec: str
    cannot: list[Shortcoming]
    instead: list[Shortcoming]


def chosen(
    available: Collection[str],
    offers: Mapping[str, Offered],
    patterns: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> list[str]:
    """The codecs that are tried: those that a pattern matches, else the defaults; of these languages, no controls.

    Raises LabError where there are none.
    """
    codecs = sorted(codec for codec in available if codec not in offers or not offers[codec].control)
    of_languages = [codec for codec in codecs if not languages or codec.partition("/")[0] in languages]
    if patterns:
        selection = Selection(patterns)
        result = [codec for codec in of_languages if selection.takes(codec)]
    else:
        defaults = set(read_toml(DEFAULTS, Defaults).codecs)
        result = [codec for codec in of_languages if codec in defaults] or of_languages
    if not result:
        raise errors.no_codec(list(patterns), list(languages))
    return result


def candidate(codec: str, offered: Offered | None, root: str, defined: Defined) -> Candidate:
    """A codec with the fields that its library has no form for; of an unknown codec the build will tell."""
    cannot: Mapping[Feature, str] = offered.cannot if offered else {}
    instead: Mapping[Feature, str] = offered.instead if offered else {}
    of = Named(root)
    return Candidate(codec, shortcomings(of, defined, cannot), shortcomings(of, defined, instead))
