"""Tables over the runs of several machines: ratios and ranks alone, never times."""
