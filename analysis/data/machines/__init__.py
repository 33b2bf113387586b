"""Runs of many machines: where they lie, what they are called, what is submitted, and what differs between them."""
