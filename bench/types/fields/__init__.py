"""Fields of a message that a scenario names: their paths, what is read of them, what they are changed to."""
