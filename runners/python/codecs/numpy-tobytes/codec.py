"""The bytes of an array and nothing else: `tobytes` and `frombuffer`. The reader must know dtype and shape."""

import numpy as np
from wirelab_kit import Arrays, Codec
from wirelab_messages import serve

serve(
    Codec(
        format="bytes",
        library="numpy",
        self_describing=False,
        arrays=Arrays(encode=np.ndarray.tobytes, decode=np.frombuffer, gives="view", probed=False),
        cannot={"struct": "it writes lists of numbers alone"},
    )
)
