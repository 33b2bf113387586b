"""What formats say of malformed input, and the inputs that they are asked with: schemas/malformed.toml."""
