"""Scenarios: loading them, their types and inputs, and selecting cells by name."""
