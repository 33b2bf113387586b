"""What codecs do when something is wrong, a figure for each question."""
