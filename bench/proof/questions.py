"""The program that a codec answers with where it is asked more than its scenarios: changed schemas and special values.

One program knows the types of all these questions, since compiling is what they cost.
"""

from bench.base import errors
from bench.base.progress import report
from bench.building.build import build
from bench.building.manifest import codec_names, is_given, known_manifest, unavailable_in
from bench.building.nix import derivations
from bench.building.runner import Runner, RunnerError, describe_all
from bench.model.description import Description
from bench.proof.changes import load_changes
from bench.proof.special import load_special
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.selection import Selection
from bench.types.type_set import TypeSet

SET = "questions"


def asked_types() -> TypeSet:
    """The types of all changes and of all special values."""
    changes, special = load_changes().types, load_special().types
    structs, enums = {**changes.structs, **special.structs}, {**changes.enums, **special.enums}
    return TypeSet(SET, structs, enums, [*changes.messages, *special.messages])


def answering(chosen: Selection, *, typed_alone: bool) -> tuple[list[Runner], dict[str, str]]:
    """The selected codecs, built where they are not up to date, and why others cannot be asked. Controls are left out.

    Programs that are given, or built by Nix, know the published types alone: they are asked what needs no others,
    unless that is nothing (`typed_alone`). Raises LabError if no codec is selected, or can be asked.
    """
    given = is_given() or derivations() is not None
    if given and not typed_alone:
        report("values that have a type are left out: `./lab` in a checkout builds programs that know these types")
    catalogue, manifest = load_catalogue(), known_manifest()
    own = {codec for codec in catalogue.codecs if codec not in catalogue.controls}
    codecs = {codec for codec in own | set(catalogue.unknown(codec_names(manifest))) if chosen.takes(codec)}
    if not codecs:
        raise errors.nothing_selected(chosen.filters, chosen.excludes, unavailable_in(manifest))
    types = None if given and not typed_alone else asked_types()
    entries = build(report, codecs=codecs, types=types).runners
    described = describe_all(Runner(one) for one in entries if one.codec in codecs and not one.variant)
    able = [runner for runner, one in described.items() if isinstance(one, Description) and not one.control]
    failures = {runner.codec: str(one) for runner, one in described.items() if isinstance(one, RunnerError)}
    if not able:
        raise errors.nobody_to_ask(failures, unavailable_in(known_manifest()))
    return able, failures
