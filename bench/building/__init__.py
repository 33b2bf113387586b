"""Building the runners, and asking them what they offer."""
