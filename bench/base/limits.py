"""How much the lab reads of a file that somebody else may have written, and why its own runs stay far below.

Each limit turns a damaged or hostile file into a message instead of an exhausted machine.
"""

DOCUMENT_BYTES = 32 * 2**20
"""Of a file that is one JSON or TOML value. A run.json of all 2,902 cells has 1 MB; what JSON says in a byte takes up
to 24 in memory, so that the largest takes three quarters of a gibibyte."""
FINDINGS_BYTES = 128 * 2**20
"""Of fuzz.json, which holds inputs in hexadecimal: 10,000 cases a codec left 5 MB. Its strings take little more memory
than they have characters."""
LINES_BYTES = 64 * 2**30
"""Of a file of JSON lines: ten million samples have 4 GB."""
LINE_BYTES = 2**23
"""Of one such line: a sample has some 450 B, an error row as much as a runner may print before it is cut off."""
TEXT_BYTES = 2**20
"""Of remarks.txt, which people write."""
DEPTH = 64
"""How deep the free parts of run.json may be nested; a canonical input is a dozen levels deep."""

NAME = 100
"""Characters of a name: of a codec, scenario, platform, run, library, version or format. The longest has 41."""
TEXT = 2**20
"""Characters of a text that a run or its scenarios hold: a title, a reason, a filter, an error. Most are sentences;
the longest may be what a runner printed."""
ITEMS = 10_000
"""Scenarios of a run, and words of its command."""
CELLS = 100_000
"""Cells of a plan; all that today's lab has are 2,902."""

NUMBER = 2**63 - 1
"""No count, size or time is larger: Parquet's and NumPy's integers have 64 bits, and 2^63 ns are 292 years."""
ROUNDS = 10_000
"""Of a scenario. 1,000 make an interval as narrow as the noise floor allows."""
LOOPS = 1_000_000
"""Timed loops of a process; the lab's own chains have some tens."""
LAYOUTS = 1_000
"""Links of one runner; the lab makes 24 at most."""
REPETITIONS = 10**15
"""Of a timed loop: at a clock tick each they take three days."""
SECONDS = 1e9
"""Of one process: 31 years."""
NANOSECONDS = 10**18
"""The same."""
