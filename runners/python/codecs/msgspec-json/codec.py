"""msgspec's JSON: a reused encoder and decoder, for objects without a type and for typed structs (`native`)."""

import msgspec
from wirelab_kit import Arrays, Codec, Native, Objects
from wirelab_messages import serve
from wirelab_msgspec import User

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


def encode_array(array):
    return encode(array.tolist())


serve(
    Codec(
        format="JSON",
        library="msgspec",
        self_describing=True,
        objects=Objects(encode=encode, decode=decode),
        native=Native(
            build=lambda users: msgspec.convert(users, list[User]),
            encode=encode,
            decode=msgspec.json.Decoder(list[User]).decode,
            plain=msgspec.to_builtins,
            api="derive",
        ),
        arrays=Arrays(
            encode=encode_array,
            decode=msgspec.json.Decoder(list[float]).decode,
            gives="list",
        ),
    )
)
