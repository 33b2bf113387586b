"""The report site: static pages of recorded runs, opened from a folder. What a page says is a function of values."""
