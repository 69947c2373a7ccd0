"""Commands of the benchmark."""
