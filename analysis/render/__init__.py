"""Tables for terminals, Markdown and other tools."""
