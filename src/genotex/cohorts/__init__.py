"""One cohort from raw files to a linked table."""
