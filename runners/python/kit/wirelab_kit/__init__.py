"""The kit of the Python runners: the runner protocol around one codec.

The packages are layers, each of which imports only those before it: `base`, `model`, `measuring`, `commands`. No module
names a codec or a scenario. A runner imports only what its codec and the one scenario need, so that its start-up time
and its base memory are those of the library.
"""

from wirelab_kit.commands.program import serve
from wirelab_kit.model.codec import (
    Arrays,
    Codec,
    Control,
    Ext,
    Native,
    Objects,
    Role,
    Schemaless,
    Simple,
    Tag,
)

__all__ = [
    "Arrays",
    "Codec",
    "Control",
    "Ext",
    "Native",
    "Objects",
    "Role",
    "Schemaless",
    "Simple",
    "Tag",
    "serve",
]
