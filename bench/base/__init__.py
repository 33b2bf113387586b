"""What every room stands on: files, messages, paths, processes."""
