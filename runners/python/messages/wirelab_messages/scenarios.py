"""The scenarios that Python serves, with the kind of value of each.

Kinds are imported when they are asked for, so that a runner holds only what its scenario needs.
"""

from wirelab_kit.model.codec import Codec
from wirelab_kit.model.kind import Kind, Scenarios


def _users(codec: Codec) -> Kind | None:
    from wirelab_messages import users

    return users.kind(codec, every_condition=False)


def _users_under_every_condition(codec: Codec) -> Kind | None:
    from wirelab_messages import users

    return users.kind(codec, every_condition=True)


def _vectors(codec: Codec) -> Kind | None:
    from wirelab_messages import vectors

    return vectors.kind(codec)


SCENARIOS: Scenarios = {
    "users-100": _users,
    "users-1k": _users,
    "users-10k": _users_under_every_condition,
    "numpy-8mb": _vectors,
}
