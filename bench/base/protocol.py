"""The versions of the runner protocol and of recorded files; unknown ones are refused."""

PROTOCOL = 1
"""Of the runner protocol, and of every file of the lab."""
RECORD = 4
"""Of run.json and the files beside it; `bench.model.upgrade` reads older ones."""
