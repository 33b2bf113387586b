"""The type of a user's messages: what was seen in them, what follows from that, and how it is written."""
