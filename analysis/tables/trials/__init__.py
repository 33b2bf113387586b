"""What `lab try` found out about a user's data, as a table and in words."""
