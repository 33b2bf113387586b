"""Which format to use: what was measured of each codec in a scenario, and short lists by what matters."""
