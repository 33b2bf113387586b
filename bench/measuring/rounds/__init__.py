"""Rounds in blocks: which layouts each has, and what its samples say about going on."""
