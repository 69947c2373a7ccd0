"""TCGA: which study means a trait, and which columns hold age and gender."""
