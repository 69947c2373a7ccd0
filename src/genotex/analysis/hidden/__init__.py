"""Hidden variation: surrogate variables, confounders, what is adjusted for."""
