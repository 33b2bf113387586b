"""Which scenarios there are in Python, and of what kind the value of each is.

The kinds are imported where they are asked for, so that no runner holds what its scenario does not need.
"""

from wirelab_kit.codec import Codec
from wirelab_kit.kind import Kind

SCENARIOS = {"users-100": "users", "users-1k": "users", "users-10k": "all users", "numpy-8mb": "vectors"}


def kind_of(codec: Codec, scenario: str) -> Kind | None:
    """The codec's sources and sinks for a scenario; None where it offers nothing there."""
    kind = SCENARIOS.get(scenario)
    if kind in ("users", "all users"):
        from wirelab_kit import users

        return users.kind(codec, every_condition=kind == "all users")
    if kind == "vectors":
        from wirelab_kit import vectors

        return vectors.kind(codec)
    return None
