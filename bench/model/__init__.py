"""What crosses a boundary, as plain frozen values, a subject a file."""
