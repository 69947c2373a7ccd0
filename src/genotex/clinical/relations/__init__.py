"""How the samples of a series are related: pools, replicates, people, lines, treatments, times."""
