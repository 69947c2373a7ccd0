"""Probe ids to official gene symbols."""
