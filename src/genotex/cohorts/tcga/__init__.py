"""A TCGA cohort from the Xena hub."""
