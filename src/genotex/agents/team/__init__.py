"""Runs of the team of agents: notebooks side by side, every call and cell in a journal."""
