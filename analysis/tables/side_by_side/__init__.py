"""Codecs beside each other, for somebody who would take one in place of another."""
