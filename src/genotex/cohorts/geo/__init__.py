"""A GEO cohort: series files, RNA-seq counts, tables of submitters."""
