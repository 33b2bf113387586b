"""Messages of Protocol Buffers, by a .proto file: length-delimited, one after the other, or one alone."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from bench.base import errors
from bench.datasets.reading.json_sources import AtError

WRAPPERS = {
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
}
"""Well-known types that hold one value, and stand for it in JSON."""


class ProtobufType(Struct, frozen=True):
    """A message type of a .proto file."""

    file: Path
    message: str


def read_protobuf(path: Path, of: ProtobufType, notes: list[str]) -> Iterator[tuple[int, Any]]:
    """The messages of a file as protobuf's own JSON mapping has them, but for 64-bit integers, which stay numbers.

    In the end `notes` tells of fields that the .proto file does not have. Raises NotExactError for bytes that are no
    message, LabError for a .proto file without the message type.
    """
    kind = _message_class(of)
    notes.clear()
    messages, unknown_bytes = 0, 0
    for number, data in enumerate(_framed(path.read_bytes(), kind), start=1):
        value, unknown = _value(kind, data, number)
        messages, unknown_bytes = messages + bool(unknown), unknown_bytes + unknown
        yield number, value
    if messages:
        notes.append(
            f"{messages:,} {'message has' if messages == 1 else 'messages have'} fields that {of.file.name} does not "
            f"have, {unknown_bytes:,} bytes: they are left out. Give the .proto file that the messages were written "
            "with."
        )


def _message_class(of: ProtobufType) -> Any:
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
        from grpc_tools import protoc
    except ImportError:
        raise errors.missing_tool(
            "the Python package grpcio-tools", "Install it: `pip install grpcio-tools`."
        ) from None
    with TemporaryDirectory() as folder:
        result = Path(folder) / "set"
        words = ["protoc", f"-I{of.file.resolve().parent}", "--include_imports", f"--descriptor_set_out={result}"]
        words += [f"-I{Path(protoc.__file__).parent / '_proto'}", of.file.name]
        if protoc.main(words) != 0:
            raise errors.bad_file(of.file, None, "", "protoc refuses it; its messages stand above. Repair the file")
        files = descriptor_pb2.FileDescriptorSet.FromString(result.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    prefix = f"{files.file[-1].package}." if files.file[-1].package else ""
    known = [f"{prefix}{message.name}" for message in files.file[-1].message_type]
    for name in (of.message, f"{prefix}{of.message}"):
        try:
            return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        except KeyError:
            continue
    raise errors.bad_file(of.file, None, "", f"has no message {of.message!r}. Its messages: {', '.join(known)}")


def _framed(data: bytes, kind: Any) -> list[bytes]:
    """The length-delimited messages of a file, or the file as one message where it does not divide so.

    Bytes that can be read in both ways are what has fewer unknown fields; where both have some, a stream.
    """
    messages, position = [], 0
    while position < len(data):
        size, begin = _varint(data, position)
        if begin < 0 or begin + size > len(data):
            return [data]
        messages.append(data[begin : begin + size])
        position = begin + size
    unknown = [_unknown_fields(kind, message) for message in messages[:100]]
    if None in unknown:
        return [data]
    return [data] if any(unknown) and _unknown_fields(kind, data) == 0 else messages


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A varint and where it ends; -1 where there is none."""
    value = 0
    for index in range(10):
        if position + index >= len(data):
            break
        byte = data[position + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, position + index + 1
    return 0, -1


def _unknown_fields(kind: Any, data: bytes) -> int | None:
    """How many fields of a message its type does not have, those within others aside; None where it is no message."""
    from google.protobuf import unknown_fields
    from google.protobuf.message import DecodeError

    try:
        return len(unknown_fields.UnknownFieldSet(kind.FromString(data)))
    except DecodeError:
        return None


def _value(kind: Any, data: bytes, number: int) -> tuple[Any, int]:
    """A message, and the bytes of its unknown fields, at any depth."""
    from google.protobuf import json_format
    from google.protobuf.message import DecodeError

    try:
        message = kind.FromString(data)
        whole = message.ByteSize()
        message.DiscardUnknownFields()
        value = json_format.MessageToDict(
            message,
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
            descriptor_pool=kind.DESCRIPTOR.file.pool,
        )
    except (DecodeError, TypeError, json_format.Error) as error:  # TypeError: an Any of a type that no file has
        raise AtError(number, f"no {kind.DESCRIPTOR.full_name}: {error}") from None
    return _typed(kind.DESCRIPTOR, value, number), whole - message.ByteSize()


def _typed(descriptor: Any, value: Any, number: int) -> Any:
    """A message's JSON with 64-bit integers as numbers and bytes as bytes."""
    if descriptor.full_name in WRAPPERS:
        return _single(descriptor.fields_by_name["value"], value, number)
    if descriptor.full_name == "google.protobuf.Any":
        return json.loads(json.dumps(value))  # json_format makes ordered dicts of these alone
    if not isinstance(value, dict) or descriptor.full_name.startswith("google.protobuf."):
        return value  # a well-known type has a form of its own
    return {name: _field(_field_of(descriptor, name), one, number) for name, one in value.items()}


def _field_of(descriptor: Any, name: str) -> Any:
    """A field by its name in JSON; that of an extension stands in brackets."""
    if name.startswith("["):
        return descriptor.file.pool.FindExtensionByName(name[1:-1])
    return descriptor.fields_by_name[name]


def _field(field: Any, value: Any, number: int) -> Any:
    if field.message_type and field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return {key: _single(inner, one, number) for key, one in value.items()}
    if isinstance(value, list) and not (
        field.message_type and field.message_type.full_name == "google.protobuf.ListValue"
    ):
        return [_single(field, one, number) for one in value]
    return _single(field, value, number)


def _single(field: Any, value: Any, number: int) -> Any:
    if field.message_type:
        return _typed(field.message_type, value, number)
    if field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64):
        return int(value)
    if field.type == field.TYPE_BYTES:
        return base64.b64decode(value)
    if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT) and isinstance(value, str):
        raise AtError(number, f"{field.name}: {value} is no JSON number. Leave the field out")
    return value
