"""The conditions under which Python codecs handle lists of objects."""

from bench.model.cells import Conditions

SERIALIZE = Conditions(api="dynamic", buffer="fresh", input="models", objects="reused", gc="on")
DESERIALIZE = Conditions(api="dynamic", output="dicts", drop="inside", gc="on")
ROUND_TRIP = Conditions(
    api="dynamic", buffer="fresh", input="models", objects="reused", output="dicts", drop="inside", gc="on"
)
