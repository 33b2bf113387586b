"""The program that the runner of Protocol Buffers' conformance tests asks: it reads each message, and writes it again.

    python -m testee DESCRIPTORS

DESCRIPTORS is what protoc makes of the tests' schemas. Requests and responses follow their length as u32 little-endian
(conformance.proto). JSON and text are skipped: the lab measures the binary format.
"""

import sys
from pathlib import Path

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

PROTOBUF = 1
"""The binary format, in the enumeration WireFormat."""


def messages(descriptors):
    """Full name → class of every message of the schemas."""
    pool = descriptor_pool.DescriptorPool()
    files = FileDescriptorSet.FromString(descriptors).file
    for file in files:
        pool.Add(file)
    return message_factory.GetMessageClassesForFiles([file.name for file in files], pool)


def answer(request, known):
    """The field of the response to a request."""
    if request.message_type == "conformance.FailureSet":
        return {"protobuf_payload": b""}  # the tests that are known to fail: none
    if request.WhichOneof("payload") != "protobuf_payload" or request.requested_output_format != PROTOBUF:
        return {"skipped": "the binary format alone is measured"}
    try:
        message = known[request.message_type].FromString(request.protobuf_payload)
    except DecodeError as error:
        return {"parse_error": str(error)}
    return {"protobuf_payload": message.SerializeToString()}


def main():
    """Answers requests until there are no more."""
    known = messages(Path(sys.argv[1]).read_bytes())
    requests, responses = known["conformance.ConformanceRequest"], known["conformance.ConformanceResponse"]
    while size := sys.stdin.buffer.read(4):
        request = requests.FromString(sys.stdin.buffer.read(int.from_bytes(size, "little")))
        response = responses(**answer(request, known)).SerializeToString()
        sys.stdout.buffer.write(len(response).to_bytes(4, "little") + response)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
