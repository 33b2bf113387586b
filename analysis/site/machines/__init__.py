"""The page of what holds on which processor."""
