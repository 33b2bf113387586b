"""The first question of the first page: which format to use."""
