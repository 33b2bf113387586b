"""msgspec's JSON: a reused encoder and decoder; of objects without a type, and of typed structs (`native`)."""

import msgspec
from wirelab_kit import Arrays, Codec, Native, Objects, serve


class User(msgspec.Struct):
    """A user as published."""

    id: int
    name: str
    email: str
    active: bool
    scores: list[float]


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
