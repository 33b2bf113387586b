"""A run: from the draft of its plan to its last sample on disk."""
