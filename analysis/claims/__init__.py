"""What was published, and whether it reproduces."""
