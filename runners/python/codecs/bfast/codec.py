"""B-FAST without compression: one encoder, reused as published."""

import b_fast
from wirelab_kit import Arrays, Codec, Objects, Schemaless
from wirelab_messages import serve

KEYS = "of more than 127 different keys, or one of more than 255 bytes, others come back or none"
TEXT = "an integer that does not fit into an i64 comes back as a string"

encoder = b_fast.BFast()


def encode_packed(value):
    return encoder.encode_packed(value, compress=False)


def encode_row(value):
    """With an encoder of its own: a message holds all keys that its encoder ever saw."""
    return b_fast.BFast().encode_packed(value, compress=False)


serve(
    Codec(
        format="B-FAST",
        library="bfast-py",
        self_describing=True,
        objects=Objects(
            encode=encode_packed, decode=encoder.decode_packed, encode_models=encode_packed, encode_row=encode_row
        ),
        schemaless=Schemaless(encode=encode_row, decode=encoder.decode_packed, made={"bytes": bytes}),
        arrays=Arrays(encode=encode_packed, decode=encoder.decode_packed, gives="list"),
        cannot={"map": KEYS, "u64": TEXT, "u128": TEXT},
    )
)
