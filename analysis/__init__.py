"""What the numbers say: statistics and tables over recorded runs."""
