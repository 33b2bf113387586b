"""NumPy's own file format: `save` into and `load` out of memory, without pickled objects."""

from io import BytesIO

import numpy as np
from wirelab_kit import Arrays, Codec
from wirelab_messages import serve


def save(array):
    file = BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def load(data):
    return np.load(BytesIO(data), allow_pickle=False)


serve(
    Codec(
        format="NPY",
        library="numpy",
        self_describing=True,
        arrays=Arrays(encode=save, decode=load, gives="array"),
        cannot={"struct": "it writes lists of numbers alone"},
    )
)
