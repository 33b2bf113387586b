"""Tables as values: rows and columns of text."""
