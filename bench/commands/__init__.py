"""One command of `lab` a file."""
