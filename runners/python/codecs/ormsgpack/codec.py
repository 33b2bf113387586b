"""ormsgpack: `packb` and `unpackb`, arrays with OPT_SERIALIZE_NUMPY, models with OPT_SERIALIZE_PYDANTIC."""

import ormsgpack
from wirelab_kit import Arrays, Codec, Ext, Objects, Schemaless
from wirelab_messages import serve


def packb_array(array):
    return ormsgpack.packb(array, option=ormsgpack.OPT_SERIALIZE_NUMPY)


def packb_models(models):
    return ormsgpack.packb(models, option=ormsgpack.OPT_SERIALIZE_PYDANTIC)


def packb_any(value):
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def unpackb_any(data):
    return ormsgpack.unpackb(data, ext_hook=Ext, option=ormsgpack.OPT_NON_STR_KEYS)


serve(
    Codec(
        format="MessagePack",
        library="ormsgpack",
        self_describing=True,
        objects=Objects(encode=ormsgpack.packb, decode=ormsgpack.unpackb, encode_models=packb_models),
        schemaless=Schemaless(
            encode=packb_any, decode=unpackb_any, made={"bytes": bytes, "ext": lambda ext: ormsgpack.Ext(*ext)}
        ),
        arrays=Arrays(encode=packb_array, decode=ormsgpack.unpackb, gives="list"),
        cannot={"u128": "integers beyond 64 bits are refused"},
    )
)
