"""msgspec's JSON: a reused encoder and decoder, for objects without a type and for typed structs (`native`)."""

import msgspec
from wirelab_kit import Arrays, Codec, Native, Objects, Schemaless
from wirelab_messages import serve
from wirelab_msgspec import messages

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


def encode_array(array):
    return encode(array.tolist())


def native(name):
    if name not in messages:
        return None
    return Native(
        build=lambda value: msgspec.convert(value, messages[name]),
        encode=encode,
        decode=msgspec.json.Decoder(messages[name]).decode,
        plain=lambda structs: msgspec.to_builtins(structs, builtin_types=(bytes,)),
        api="derive",
        build_from_models=lambda models: msgspec.convert(models, messages[name], from_attributes=True),
    )


serve(
    Codec(
        format="JSON",
        library="msgspec",
        self_describing=True,
        objects=Objects(encode=encode, decode=decode),
        native=native,
        schemaless=Schemaless(encode=encode, decode=decode),
        arrays=Arrays(
            encode=encode_array,
            decode=msgspec.json.Decoder(list[float]).decode,
            gives="list",
            probed=False,
        ),
    )
)
