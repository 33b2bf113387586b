"""What codecs do when a schema changes, when input is bad and when values are special."""
