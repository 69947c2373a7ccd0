"""Age and sex: which characteristic tells them, and what each value says."""
