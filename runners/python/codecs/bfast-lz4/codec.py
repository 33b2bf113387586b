"""B-FAST with its built-in LZ4: one encoder, reused as published."""

import b_fast
from wirelab_kit import Arrays, Codec, Objects
from wirelab_messages import serve

encoder = b_fast.BFast()


def encode_packed(value):
    return encoder.encode_packed(value, compress=True)


serve(
    Codec(
        format="B-FAST",
        library="bfast-py",
        self_describing=True,
        objects=Objects(encode=encode_packed, decode=encoder.decode_packed, encode_models=encode_packed),
        arrays=Arrays(encode=encode_packed, decode=encoder.decode_packed, gives="list"),
    )
)
