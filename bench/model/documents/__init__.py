"""What is recorded of documents that are no scenarios."""
