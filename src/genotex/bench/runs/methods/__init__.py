"""Who solves the problems of a run: built-in methods, and anybody's own."""
