"""cbor2: `dumps` and `loads`. It takes no NumPy arrays, so that `tolist` precedes `dumps`."""

import cbor2
from wirelab_kit import Arrays, Codec, Objects, Schemaless, Simple, Tag
from wirelab_messages import serve


def dumps_array(array):
    return cbor2.dumps(array.tolist())


def simple(given):
    return cbor2.undefined if given.number == 23 else cbor2.CBORSimpleValue(given.number)


serve(
    Codec(
        format="CBOR",
        library="cbor2",
        self_describing=True,
        objects=Objects(encode=cbor2.dumps, decode=cbor2.loads),
        schemaless=Schemaless(
            encode=cbor2.dumps,
            decode=cbor2.loads,
            forms={
                cbor2.CBORTag: lambda tag: Tag(tag.tag, tag.value),
                cbor2.CBORSimpleValue: lambda simple: Simple(simple.value),
                type(cbor2.undefined): lambda _: Simple(23),
                cbor2.frozendict: dict,
            },
            made={
                "bytes": bytes,
                "datetime": lambda moment: moment,
                "tag": lambda tag: cbor2.CBORTag(*tag),
                "simple": simple,
            },
        ),
        arrays=Arrays(encode=dumps_array, decode=cbor2.loads, gives="list", probed=False),
    )
)
