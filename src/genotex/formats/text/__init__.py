"""Text as it is in a file: bytes unpacked, lines, rows of cells, tab-separated tables."""
