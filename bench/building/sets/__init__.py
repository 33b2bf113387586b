"""Programs of a set of types: the code that they are compiled with, where they are, and what sets share."""
