"""The bytes of an array and nothing else: `tobytes` and `frombuffer`; dtype and shape are for the reader to know."""

import numpy as np
from wirelab_kit import Arrays, Codec, serve

serve(
    Codec(
        format="bytes",
        library="numpy",
        self_describing=False,
        arrays=Arrays(encode=np.ndarray.tobytes, decode=np.frombuffer, gives="view"),
    )
)
