"""What is proved of a codec before it is measured, and what it does with bad input."""
