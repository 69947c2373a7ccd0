"""Which genes are associated with a trait, with evidence."""
