"""Malformed input by class: what it is made of, and whether a codec did with it what its format says."""
