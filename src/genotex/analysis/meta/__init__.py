"""Evidence beyond one cohort: the same genes tested in several, and combined."""
