"""What publications say: their figures, read and checked, by the lab's codecs, operations and units."""
