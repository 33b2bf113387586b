"""Reading what is recorded: a run's own file, and any of its files, plain or compressed."""
