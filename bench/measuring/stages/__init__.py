"""A scenario on its way to its first sample: expected from the catalogue, built, drafted, proved, piloted."""
