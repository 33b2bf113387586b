"""The columns of tables: each kind is one function. A publication's file lists the kinds that its tables have.

A new kind is a function with `@column` in the module of its subject; publications call it by the function's name.
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
