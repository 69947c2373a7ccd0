"""Simulated studies in true GEO format."""
