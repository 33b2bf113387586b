"""The standard library's `pickle`, protocol 5. It runs code that the bytes name: never read untrusted data."""

import pickle

from wirelab_kit import Arrays, Codec, Objects
from wirelab_messages import serve


def dumps(value):
    return pickle.dumps(value, protocol=5)


serve(
    Codec(
        format="pickle",
        library="cpython",
        self_describing=True,
        objects=Objects(encode=dumps, decode=pickle.loads),
        arrays=Arrays(encode=dumps, decode=pickle.loads, gives="array"),
    )
)
