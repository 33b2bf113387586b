"""What a table says of its own certainty: noise floors, calm loops, layouts, and where the spread comes from."""
