"""What the codecs of msgspec share: users as typed structs."""

import msgspec


class User(msgspec.Struct):
    """A user as published."""

    id: int
    name: str
    email: str
    active: bool
    scores: list[float]
