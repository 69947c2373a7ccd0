"""The GenoTEX benchmark: problems, runs, scores, and a simulated benchmark with known truth."""
