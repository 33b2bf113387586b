"""What every room stands on: messages, numbers as text, folders."""
