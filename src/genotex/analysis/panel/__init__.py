"""Panels: few genes that predict the trait together."""
