"""The columns of tables: each kind is one function, and a publication's file lists the kinds in its tables.

To add a kind, write a function with `@column` in the module of its subject; publications use its name.
"""

from analysis.tables.columns import costs, identity, rates, relations, sizes, times
from analysis.tables.columns.kinds import FILES, KINDS, MESSAGES, Entry, check_form

__all__ = [
    "FILES",
    "KINDS",
    "MESSAGES",
    "Entry",
    "check_form",
    "costs",
    "identity",
    "rates",
    "relations",
    "sizes",
    "times",
]
