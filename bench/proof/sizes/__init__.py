"""How many bytes codecs write for published documents."""
