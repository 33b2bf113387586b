"""ormsgpack: `packb` and `unpackb`, arrays with OPT_SERIALIZE_NUMPY."""

import ormsgpack
from wirelab_kit import Arrays, Codec, Objects
from wirelab_messages import serve


def packb_array(array):
    return ormsgpack.packb(array, option=ormsgpack.OPT_SERIALIZE_NUMPY)


serve(
    Codec(
        format="MessagePack",
        library="ormsgpack",
        self_describing=True,
        objects=Objects(encode=ormsgpack.packb, decode=ormsgpack.unpackb),
        arrays=Arrays(encode=packb_array, decode=ormsgpack.unpackb, gives="list"),
        cannot={"u128": "integers beyond 64 bits are refused"},
    )
)
