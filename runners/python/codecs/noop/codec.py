"""The control that does nothing: the cost of the loop and of a call of a built-in function."""

from wirelab_kit import Codec, Control, Role
from wirelab_messages import serve

serve(
    Codec(
        format="none",
        library=None,
        self_describing=False,
        control=Control(serialize=callable, deserialize=callable, role=Role.NOTHING),
    )
)
