"""The page of `lab try`."""
