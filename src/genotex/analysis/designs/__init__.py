"""Designs: formulas, contrasts, model matrices, and fits by them."""
