"""Scenarios: loading them, their types and inputs, and choosing among their cells."""
