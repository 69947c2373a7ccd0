"""Replication: whether an independent cohort would show a gene again."""
