"""Whole benchmark runs, on one machine and on workers, and their scores."""
