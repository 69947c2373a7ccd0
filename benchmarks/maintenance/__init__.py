"""Maintenance of the package: gene table, licences, wheel, transcripts."""
