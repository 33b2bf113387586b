"""The JSON Schemas of the analysis's own files and of files of types, generated as in `bench.model.schemas`.

`python -m analysis.render.schemas` writes them; a test compares them with the models.
"""

from typing import Any

import msgspec

from analysis.claims.statements import PublicationFile
from analysis.data.merged import Merged
from analysis.sources.maintenance import MaintenanceFile
from analysis.sources.specifications import FormatsFile
from analysis.tables.columns import KINDS as COLUMNS
from bench.base.paths import SCHEMAS as FOLDER
from bench.model.schemas import render
from bench.proof.changes import ChangesFile
from bench.proof.special import SpecialFile
from bench.proof.upstream import UpstreamFile
from bench.types.definitions import TypesFile

KINDS: dict[str, type] = {
    "publication": PublicationFile,
    "merged": Merged,
    "types": TypesFile,
    "changes": ChangesFile,
    "special": SpecialFile,
    "formats": FormatsFile,
    "maintenance": MaintenanceFile,
    "upstream": UpstreamFile,
}

SCHEMAS: dict[str, dict[str, Any]] = {
    name: {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(kind)}
    for name, kind in KINDS.items()
}
SCHEMAS["publication"]["$defs"]["Form"]["properties"]["columns"]["items"]["enum"] = sorted(COLUMNS)


def write() -> None:
    """Writes schemas/*.schema.json."""
    for name, schema in SCHEMAS.items():
        (FOLDER / f"{name}.schema.json").write_text(render(schema), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
