"""The pages of codecs, for the authors of their libraries."""
