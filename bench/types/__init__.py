"""Message types: their notation, their files, and the code that each library's generator makes of them."""
