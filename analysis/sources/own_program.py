"""Instructions of a publication's own program, counted where it was built beside the lab: NAME-instructions.csv."""

import csv
import math
from collections.abc import Mapping
from typing import NamedTuple

from analysis.sources.publications import Publication
from bench.base.errors import bad_file
from bench.base.files import read_text

COLUMNS = ["scenario", "row", "operation", "instructions"]


class Work(NamedTuple):
    """What a row of a published table does; operations are named as the publication's file renames them."""

    scenario: str
    row: str
    operation: str


def own_instructions(publication: Publication) -> Mapping[Work, float]:
    """Instructions of one repetition by row; empty where nobody counted them.

    Raises LabError with the line of a row that is none.
    """
    path = publication.path.with_name(f"{publication.name}-instructions.csv")
    if not path.exists():
        return {}
    reader = csv.reader("" if line.startswith("#") else line for line in read_text(path).splitlines())
    rows = filter(None, reader)
    if (header := next(rows, [])) != COLUMNS:
        raise bad_file(
            path,
            max(1, reader.line_num),
            "",
            f"its columns are {','.join(header)!r}; they must be {','.join(COLUMNS)!r}",
        )
    counted = {}
    for fields in rows:
        try:
            scenario, row, operation, instructions = fields
            if not 0 < (number := float(instructions)) < math.inf:
                raise ValueError(f"a program takes more than 0 instructions, not {instructions}")
            counted[Work(scenario, row, publication.operations.get(operation, operation))] = number
        except ValueError as error:
            raise bad_file(path, reader.line_num, "", f"{','.join(fields)!r} is no row of it: {error}") from None
    return counted
