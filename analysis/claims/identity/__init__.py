"""Claims that two codecs write the same bytes."""
