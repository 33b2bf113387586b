"""The scenarios that Python serves, with the kind of value of each.

Kinds are imported when they are asked for, so that a runner holds only what its scenario needs.
"""

from collections.abc import Callable

from wirelab_kit.model.codec import Codec
from wirelab_kit.model.kind import Kind, Scenarios
from wirelab_messages.types import Use
from wirelab_types import scenarios


def kind(use: Use) -> Callable[[Codec], Kind | None]:
    """The kind of value of a scenario, for a codec; None if its library can't take the type."""

    def of_codec(codec: Codec) -> Kind | None:
        if codec.cannot.keys() & use.message.features:
            return None
        if use.message.is_vector:
            from wirelab_messages import vectors

            return vectors.kind(codec, use)
        from wirelab_messages import objects

        return objects.kind(codec, use)

    return of_codec


SCENARIOS: Scenarios = {name: kind(use) for name, use in scenarios.items()}
