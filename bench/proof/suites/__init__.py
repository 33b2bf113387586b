"""Suites that formats' communities keep: where they come from, their cases, and what codecs make of these."""
