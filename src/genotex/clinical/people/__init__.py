"""Age and sex: which characteristic records them, and the value of each cell."""
