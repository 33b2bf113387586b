"""The control that copies: a buffer of the scenario's data size into new bytes, and those into a new buffer."""

from wirelab_kit import Codec, Copy, serve

serve(
    Codec(
        format="none",
        library=None,
        self_describing=False,
        copy=Copy(serialize=bytes, deserialize=bytearray, produces=True),
    )
)
