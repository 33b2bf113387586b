"""Recorded runs as frames of cells, and which cells and runs may be compared."""
