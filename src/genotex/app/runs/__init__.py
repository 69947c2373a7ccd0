"""Runs of the benchmark and of agents."""
