"""Where a method starts on a problem: what comes before is not its work."""

from __future__ import annotations

RAW_FILES = "raw files"
TABLES_OF_GENOTEX = "tables by genotex"
PREPARED_TABLES = "prepared tables"
NO_DATA = "no data"
STARTS = (RAW_FILES, TABLES_OF_GENOTEX, PREPARED_TABLES, NO_DATA)
WITHOUT_COHORTS = (TABLES_OF_GENOTEX, PREPARED_TABLES, NO_DATA)
"""Starting points of runs that do no filtering, selection or preprocessing of their own."""
