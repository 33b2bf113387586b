"""Sizes of documents that are no scenarios."""
