"""Gene sets: lists, correlated genes, ranked genes, and their files."""
