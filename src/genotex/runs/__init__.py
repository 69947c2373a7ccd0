"""Whole benchmark runs: many problems, one folder, resumed after any interruption."""
