"""Sample sheets: read, written, and turned into annotations."""
