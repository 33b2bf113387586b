"""Objects of any message type: dicts and lists, Pydantic models, or the library's own classes."""

from typing import Any, NamedTuple

from wirelab_kit.model.codec import Call, Codec, Native, Objects
from wirelab_kit.model.kind import Build, Kind, Sink, Source, then
from wirelab_messages.types import Message, Struct, Use


class Offered(NamedTuple):
    """The conditions that are offered, as in `Kind`."""

    serialize: tuple[tuple[str, str, str], ...]
    deserialize: tuple[tuple[str, str], ...]
    round_trip: tuple[tuple[str, str], ...]


EVERY_CONDITION = Offered(
    serialize=(
        ("models", "reused", "on"),
        ("models", "fresh", "on"),
        ("models", "reused", "off"),
        ("dicts", "reused", "on"),
        ("native", "reused", "on"),
    ),
    deserialize=(("dicts", "on"), ("dicts", "off"), ("models", "on"), ("native", "on")),
    round_trip=(("models", "dicts"), ("dicts", "dicts"), ("native", "native")),
)
"""For one scenario, so that the effect of each condition is measured once."""
PUBLISHED_AND_DICTS = Offered(
    serialize=(("models", "reused", "on"), ("dicts", "reused", "on"), ("native", "reused", "on")),
    deserialize=(("dicts", "on"), ("native", "on")),
    round_trip=(("models", "dicts"), ("dicts", "dicts"), ("native", "native")),
)
"""Each operation under the published conditions; from and to dicts, so that a round trip is the sum of its halves; and
of the library's own objects, where it has some.
"""
WITHOUT_MODELS = Offered(
    serialize=(("dicts", "reused", "on"), ("native", "reused", "on")),
    deserialize=(("dicts", "on"), ("native", "on")),
    round_trip=(("dicts", "dicts"), ("native", "native")),
)
"""Of types that no struct is a part of."""


def kind(codec: Codec, use: Use) -> Kind | None:
    """What the codec offers of a message type; None if it takes no objects."""
    message = use.message
    objects, native = codec.objects_of(message.name), codec.native_of(message.name)
    if objects is None and codec.control is None:
        return None
    if objects is not None and use.rows and objects.encode_row:
        models_too = objects.encode_row if objects.encode_models else None
        objects = objects._replace(encode=objects.encode_row, encode_models=models_too)
    sources: dict[str, Source] = {}
    sinks: dict[str, Sink] = {}
    if objects is not None:
        _add_objects(codec, objects, message, sources, sinks)
    if native is not None:
        sources["native"] = Source(native.build, native.encode, native.api)
        sinks["native"] = Sink(native.decode, native.plain, native.api)
    offered = EVERY_CONDITION if use.every_condition else PUBLISHED_AND_DICTS
    return Kind(
        sources,
        sinks,
        message.plain,
        message.canonical,
        message.data_bytes,
        **(offered if message.models else WITHOUT_MODELS)._asdict(),
        exact=message.type.exact,
        rows=use.rows,
        build=_build(native, message),
    )


def _add_objects(
    codec: Codec, objects: Objects, message: Message, sources: dict[str, Source], sinks: dict[str, Sink]
) -> None:
    as_text = objects.bytes_as_text and message.type.has_bytes
    build: Call = (lambda value: message.type.written(value, wide=False)) if as_text else lambda value: value
    sources["dicts"] = Source(build, objects.encode, codec.api)
    sinks["dicts"] = Sink(objects.decode, message.plain, codec.api)
    if not message.models:
        return
    models = Models(message)
    # A library that takes models writes the identifiers of their fields.
    of_models = None if message.aliases and isinstance(codec.objects, Objects) else objects.encode_models
    with_models = of_models or then(models.dump_with_text if as_text else models.dump, objects.encode)
    sources["models"] = Source(models.build, with_models, codec.api)
    sinks["models"] = Sink(then(objects.decode, models.build), models.dump, codec.api)


def _build(native: Native | None, message: Message) -> Build | None:
    if native is None or native.build_from_models is None or not message.models:
        return None
    return Build(Models(message).build, native.build_from_models, native.encode, native.plain, native.api)


class Models:
    """The models of a message type, made only if they are needed: importing Pydantic takes longer than all the rest."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._adapter: Any = None
        self._validate: Call | None = None

    def build(self, value: Any) -> Any:
        """Validated models of a plain value, or of what a codec gave."""
        if self._validate is None:
            self._validate = self._made().validate_python
        return self._validate(value)

    @property
    def dump(self) -> Call:
        """Models → the plain value."""
        if isinstance(self._message.type, Struct):
            return dump_by_alias if self._message.aliases else dump
        if self._message.is_list_of_structs:
            return dump_each_by_alias if self._message.aliases else dump_each
        return lambda value: self._made().dump_python(value, by_alias=True)

    @property
    def dump_with_text(self) -> Call:
        """The same with base64 text in place of bytes."""
        return lambda value: self._made().dump_python(value, by_alias=True, mode="json")

    def _made(self) -> Any:
        if self._adapter is None:
            from pydantic import TypeAdapter
            from wirelab_models import messages

            self._adapter = TypeAdapter(messages[self._message.name])
        return self._adapter


def dump(model: Any) -> Any:
    """A struct, by Pydantic's `model_dump`."""
    return model.model_dump()


def dump_by_alias(model: Any) -> Any:
    """A struct of which a field has another identifier than its name."""
    return model.model_dump(by_alias=True)


def dump_each(models: list[Any]) -> list[dict[str, Any]]:
    """A list of structs."""
    return [model.model_dump() for model in models]


def dump_each_by_alias(models: list[Any]) -> list[dict[str, Any]]:
    """A list of structs of which a field has another identifier than its name."""
    return [model.model_dump(by_alias=True) for model in models]
