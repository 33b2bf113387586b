"""The commands of `lab`, one per module."""
