"""Rounds in blocks: the layouts of each block, how these are linked, and what its samples say about going on."""
