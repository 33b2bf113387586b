"""Counts as tables."""
