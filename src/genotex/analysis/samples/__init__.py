"""Samples: who is related to whom, sex by expression, quality, profiles."""
