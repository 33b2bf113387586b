"""What knows neither codecs nor cells: canonical JSON, failures, the memory budget."""
