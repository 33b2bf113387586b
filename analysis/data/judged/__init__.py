"""What lies beside a run about codecs: special values, malformed input, changed schemas, suites."""
