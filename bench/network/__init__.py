"""Sending messages over a shaped TCP connection."""
