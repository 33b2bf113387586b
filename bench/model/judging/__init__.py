"""What crosses a boundary when codecs are judged."""
