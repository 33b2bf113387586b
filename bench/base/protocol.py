"""The versions that programs and files of the lab speak of; another one is refused, never guessed at."""

PROTOCOL = 1
"""Of the runner protocol, and of every file of the lab."""
RECORD = 2
"""Of run.json and the files beside it; `bench.model.upgrade` reads older ones."""
