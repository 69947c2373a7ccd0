"""The atlas of all results."""
