"""A scenario in a few lines, for pages that many readers skim."""
