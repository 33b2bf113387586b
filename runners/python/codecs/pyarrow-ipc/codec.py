"""Arrow IPC: the array as a tensor message, read without a copy."""

import pyarrow as pa
from wirelab_kit import Arrays, Codec
from wirelab_messages import serve


def write_tensor(array):
    sink = pa.BufferOutputStream()
    pa.ipc.write_tensor(pa.Tensor.from_numpy(array), sink)
    return sink.getvalue()


def read_tensor(data):
    return pa.ipc.read_tensor(pa.BufferReader(data)).to_numpy()


serve(
    Codec(
        format="Arrow IPC",
        library="pyarrow",
        self_describing=True,
        arrays=Arrays(encode=write_tensor, decode=read_tensor, gives="view"),
    )
)
