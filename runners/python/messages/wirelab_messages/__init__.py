"""The values that the scenarios serialize in Python: objects of any type, and vectors. The types are generated."""

from typing import NoReturn

import wirelab_kit
from wirelab_kit import Codec


def serve(codec: Codec) -> NoReturn:
    """Serves one command of the runner protocol for a codec, from the process's arguments and standard streams."""
    from wirelab_messages.scenarios import SCENARIOS  # generated code, which imports this package

    wirelab_kit.serve(codec, SCENARIOS)
