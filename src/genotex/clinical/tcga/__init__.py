"""TCGA: which study a trait is, and the columns of clinical matrices."""
