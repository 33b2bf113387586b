"""Protocol Buffers, the official library: messages that protoc generates (`native`), from and to objects and models."""

from wirelab_kit import Arrays, Codec, Native, Objects
from wirelab_messages import serve
from wirelab_protobuf import messages

AROUND = "a message around the list, or around each element"


def objects(name):
    message, to_bytes, build, build_from_models, plain = messages[name]

    def encode(value):
        return to_bytes(build(value))

    def encode_models(models):
        return to_bytes(build_from_models(models))

    def decode(data):
        return plain(message.FromString(data))

    return Objects(encode=encode, decode=decode, encode_models=encode_models)


def native(name):
    message, to_bytes, build, from_models, plain = messages[name]
    calls = {"build": build, "encode": to_bytes, "decode": message.FromString, "plain": plain}
    return Native(**calls, api="generated", build_from_models=from_models)


def arrays(name):
    message = messages[name][0]
    import numpy as np  # which objects do not need

    def encode_array(array):
        return message(values=array.tolist()).SerializeToString()

    def decode_array(data):
        return np.array(message.FromString(data).values)

    return Arrays(encode=encode_array, decode=decode_array, gives="array")


serve(
    Codec(
        format="Protocol Buffers",
        library="protobuf",
        self_describing=False,
        api="generated",
        objects=objects,
        native=native,
        arrays=arrays,
        instead=dict.fromkeys(("list-message", "nested-list", "option-in-list"), AROUND)
        | {
            "tuple": "a message with a field an element",
            "u128": "the little-endian bytes",
            "wide-enum": "the number: an enumeration of Protocol Buffers has 32 bits",
        },
    )
)
