"""Users: a list of dicts, of Pydantic models, or of the library's own objects."""

from typing import Any, NamedTuple

from wirelab_kit.base.failure import MalformedError
from wirelab_kit.model.codec import Call, Codec
from wirelab_kit.model.kind import Kind, Sink, Source, then

FIELDS = ("id", "name", "email", "active", "scores")


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
    serialize=(("models", "reused", "on"), ("dicts", "reused", "on")),
    deserialize=(("dicts", "on"),),
    round_trip=(("models", "dicts"),),
)
I64 = range(-(2**63), 2**63)


def kind(codec: Codec, every_condition: bool) -> Kind | None:
    """What the codec offers of users; None if it takes no such objects."""
    objects, native = codec.objects, codec.native
    if objects is None and codec.control is None:
        return None
    sources: dict[str, Source] = {}
    sinks: dict[str, Sink] = {}
    if objects is not None:
        with_models = objects.encode_models or then(dump, objects.encode)
        sources["dicts"] = Source(lambda users: users, objects.encode, codec.api)
        sources["models"] = Source(models, with_models, codec.api)
        sinks["dicts"] = Sink(objects.decode, plain, codec.api)
        sinks["models"] = Sink(then(objects.decode, models), dump, codec.api)
    if native is not None:
        sources["native"] = Source(native.build, native.encode, native.api)
        sinks["native"] = Sink(native.decode, native.plain, native.api)
    offered = EVERY_CONDITION if every_condition else PUBLISHED_AND_DICTS
    return Kind(sources, sinks, plain, data_bytes, **offered._asdict())


def models(users: list[dict[str, Any]]) -> Any:
    """A list of validated Pydantic models of users."""
    return _adapter()(users)


def dump(users: list[Any]) -> list[dict[str, Any]]:
    """Users as dicts, by Pydantic's `model_dump`."""
    return [user.model_dump() for user in users]


_validate: Call | None = None


def _adapter() -> Call:
    """The validator, made once and only if models are needed: importing Pydantic takes longer than all the rest."""
    global _validate
    if _validate is None:
        from wirelab_messages.models import USERS

        _validate = USERS.validate_python
    return _validate


def plain(value: Any) -> list[dict[str, Any]]:
    """A value as a list of users. Raises MalformedError if it is not one."""
    if type(value) is not list:
        raise MalformedError(f"the value is not a list of users but {type(value).__name__}")
    return [_user(number, user) for number, user in enumerate(value)]


def _user(number: int, user: Any) -> dict[str, Any]:
    if type(user) is not dict or len(user) != len(FIELDS) or any(name not in user for name in FIELDS):
        raise MalformedError(f"user {number} does not have the fields {', '.join(FIELDS)}")
    id_, name, email, active, scores = (user[field] for field in FIELDS)
    if not (type(id_) is int and id_ in I64 and type(name) is str and type(email) is str and type(active) is bool):
        raise MalformedError(f"user {number} has a field of another type")
    return {"id": id_, "name": name, "email": email, "active": active, "scores": floats(scores)}


def floats(value: Any) -> list[float]:
    """A value as a list of floats. Integers are converted, since JSON has one type for both. Raises MalformedError."""
    types = set(map(type, value)) if type(value) is list else {object}
    if not types <= {float, int}:
        raise MalformedError("the value is not a list of numbers")
    if types <= {float}:
        numbers: list[float] = value
        return numbers
    try:
        return [float(number) for number in value]
    except OverflowError:
        raise MalformedError("an integer is too large for a float") from None


def data_bytes(users: list[dict[str, Any]]) -> int:
    """The size of the data: numbers at their width, strings and lists with the shortest length prefix."""
    return prefixed(sum(_user_bytes(user) for user in users), len(users))


def _user_bytes(user: dict[str, Any]) -> int:
    strings = sum(prefixed(length, length) for length in (len(user[name].encode()) for name in ("name", "email")))
    return 8 + strings + 1 + prefixed(8 * len(user["scores"]), len(user["scores"]))


def prefixed(size: int, count: int) -> int:
    """A size plus that of the length prefix of a string or list of `count` elements."""
    return size + (1 if count < 255 else 2 if count < 65_535 else 4 if count < 2**32 - 1 else 8)
