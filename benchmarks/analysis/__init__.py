"""Tests of genes and gene sets, panels, several cohorts: time, false discoveries, power."""
