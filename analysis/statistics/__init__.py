"""Statistics as functions of plain arrays."""
