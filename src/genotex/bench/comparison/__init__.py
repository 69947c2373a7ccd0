"""Runs side by side: paired differences, repeated runs, the layout of the paper's tables."""
