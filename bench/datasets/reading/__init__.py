"""Messages from files: JSON, JSON Lines, CSV, Parquet and Protocol Buffers, one after the other."""
