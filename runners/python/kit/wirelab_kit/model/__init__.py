"""What a codec declares, and what a type of value offers it."""
