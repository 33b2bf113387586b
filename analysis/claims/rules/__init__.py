"""Claims that a table makes with each of its rows."""
