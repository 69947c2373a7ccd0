"""The figures, a file for each family."""
