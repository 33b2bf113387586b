"""The published Pydantic models of users."""

from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    """A user as published."""

    id: int
    name: str
    email: str
    active: bool
    scores: list[float]


USERS = TypeAdapter(list[User])
