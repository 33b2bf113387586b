"""Cells and their timed loops."""
