"""The report over all cohorts."""
