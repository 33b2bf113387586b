"""cbor2: `dumps` and `loads`. It takes no NumPy arrays, so that `tolist` precedes `dumps`."""

import cbor2
from wirelab_kit import Arrays, Codec, Objects
from wirelab_messages import serve


def dumps_array(array):
    return cbor2.dumps(array.tolist())


serve(
    Codec(
        format="CBOR",
        library="cbor2",
        self_describing=True,
        objects=Objects(encode=cbor2.dumps, decode=cbor2.loads),
        arrays=Arrays(encode=dumps_array, decode=cbor2.loads, gives="list"),
    )
)
