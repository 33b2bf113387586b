"""Protocol Buffers, the official library: messages generated from schemas/users.proto (`native`), and their conversion
from and to objects."""

from users_pb2 import Doubles, User, Users
from wirelab_kit import Arrays, Codec, Native, Objects
from wirelab_messages import serve


def build(users):
    return Users(users=[User(**user) for user in users])


def plain(message):
    return [
        {"id": user.id, "name": user.name, "email": user.email, "active": user.active, "scores": list(user.scores)}
        for user in message.users
    ]


def encode(users):
    return build(users).SerializeToString()


def encode_models(models):
    users = [User(id=m.id, name=m.name, email=m.email, active=m.active, scores=m.scores) for m in models]
    return Users(users=users).SerializeToString()


def decode(data):
    return plain(Users.FromString(data))


def encode_array(array):
    return Doubles(values=array).SerializeToString()


def decode_list(data):
    return list(Doubles.FromString(data).values)


serve(
    Codec(
        format="Protocol Buffers",
        library="protobuf",
        self_describing=False,
        api="generated",
        objects=Objects(encode=encode, decode=decode, encode_models=encode_models, schema=True),
        native=Native(
            build=build, encode=Users.SerializeToString, decode=Users.FromString, plain=plain, api="generated"
        ),
        arrays=Arrays(encode=encode_array, decode=decode_list, gives="list", free=False),
    )
)
