"""Beyond characteristics: titles, source names and descriptions of samples."""
