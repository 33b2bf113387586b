"""What codecs are asked beyond the scenarios, and what came of it."""
