"""The control that copies: a buffer of the scenario's data size into new bytes, and the bytes into a new buffer."""

from wirelab_kit import Codec, Control, Role
from wirelab_messages import serve

serve(
    Codec(
        format="none",
        library=None,
        self_describing=False,
        control=Control(serialize=bytes, deserialize=bytearray, role=Role.COPY),
    )
)
