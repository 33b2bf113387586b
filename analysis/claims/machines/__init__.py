"""Claims over machines."""
