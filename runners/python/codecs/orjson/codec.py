"""orjson: `dumps` and `loads`, arrays with OPT_SERIALIZE_NUMPY as published."""

import orjson
from wirelab_kit import Arrays, Codec, Objects, Schemaless
from wirelab_messages import serve


def dumps_array(array):
    return orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY)


serve(
    Codec(
        format="JSON",
        library="orjson",
        self_describing=True,
        objects=Objects(encode=orjson.dumps, decode=orjson.loads, bytes_as_text=True),
        schemaless=Schemaless(encode=orjson.dumps, decode=orjson.loads),
        arrays=Arrays(encode=dumps_array, decode=orjson.loads, gives="list"),
        cannot={"u128": "integers beyond 64 bits are refused"},
    )
)
