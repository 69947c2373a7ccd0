"""A fair score for an output folder, against a reference."""
