"""The standard library's `json`, with its default separators as published."""

import json

from wirelab_kit import Arrays, Codec, Objects, Schemaless
from wirelab_messages import serve


def dumps(value):
    return json.dumps(value).encode()


def dumps_array(array):
    return json.dumps(array.tolist()).encode()


serve(
    Codec(
        format="JSON",
        library="cpython",
        self_describing=True,
        objects=Objects(encode=dumps, decode=json.loads, bytes_as_text=True),
        schemaless=Schemaless(encode=dumps, decode=json.loads),
        arrays=Arrays(encode=dumps_array, decode=json.loads, gives="list", probed=False),
    )
)
