"""The runner protocol: its command line, and a module for each of its commands."""
