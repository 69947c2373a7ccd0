"""Results: genes, gene sets, cohorts, comparisons."""
