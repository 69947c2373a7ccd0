"""Data in the folder: adding it, its samples, its own tables."""
