"""The values that the scenarios serialize in Python: users and vectors."""

from typing import NoReturn

import wirelab_kit
from wirelab_kit import Codec
from wirelab_messages.scenarios import SCENARIOS


def serve(codec: Codec) -> NoReturn:
    """Serves one command of the runner protocol for a codec, from the process's arguments and standard streams."""
    wirelab_kit.serve(codec, SCENARIOS)
