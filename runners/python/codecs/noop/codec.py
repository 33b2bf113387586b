"""The control that does nothing: what the loop and a call of a built-in function cost."""

from wirelab_kit import Codec, Copy, serve

serve(
    Codec(
        format="none",
        library=None,
        self_describing=False,
        copy=Copy(serialize=callable, deserialize=callable, produces=False),
    )
)
