"""A user's own data: reading it, inferring its type, choosing a sample, sizing and proving every message."""
