"""msgspec's MessagePack: a reused encoder and decoder, for objects without a type and for typed structs (`native`)."""

import msgspec
from wirelab_kit import Arrays, Codec, Ext, Native, Objects, Schemaless
from wirelab_messages import serve
from wirelab_msgspec import messages

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder().decode


def encode_array(array):
    return encode(array.tolist())


def native(name):
    if name not in messages:
        return None
    return Native(
        build=lambda value: msgspec.convert(value, messages[name]),
        encode=encode,
        decode=msgspec.msgpack.Decoder(messages[name]).decode,
        plain=lambda structs: msgspec.to_builtins(structs, builtin_types=(bytes,)),
        api="derive",
        build_from_models=lambda models: msgspec.convert(models, messages[name], from_attributes=True),
    )


serve(
    Codec(
        format="MessagePack",
        library="msgspec",
        self_describing=True,
        objects=Objects(encode=encode, decode=decode),
        native=native,
        schemaless=Schemaless(
            encode=encode,
            decode=decode,
            forms={msgspec.msgpack.Ext: lambda ext: Ext(ext.code, ext.data)},
            made={"bytes": bytes, "datetime": lambda moment: moment, "ext": lambda ext: msgspec.msgpack.Ext(*ext)},
        ),
        arrays=Arrays(
            encode=encode_array,
            decode=msgspec.msgpack.Decoder(list[float]).decode,
            gives="list",
            probed=False,
        ),
        cannot={"u128": "integers beyond 64 bits are refused"},
    )
)
