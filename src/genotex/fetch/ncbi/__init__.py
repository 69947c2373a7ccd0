"""NCBI: series of GEO, and human genes."""
