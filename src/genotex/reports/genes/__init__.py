"""The table of genes in reports."""
