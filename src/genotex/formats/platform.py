"""The annotation table of a GEO platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

__all__ = ["Platform"]


@dataclass(frozen=True, eq=False)
class Platform:
    """A platform (GPL) and its table.

    Attributes
    ----------
    path : Path
        The file it was read from.
    accession : str
        GPL accession, empty if the file does not state it.
    fields : mapping of str to tuple of str
        All ``!Platform_*`` (or ``!Annotation_*``) lines; keys without that prefix.
    table : polars.DataFrame
        The annotation, every column a string, null where the cell is empty; the column names are
        those of the file (a repeated name gets ``_duplicated_1`` and so on).
    """

    path: Path
    accession: str
    fields: Mapping[str, tuple[str, ...]]
    table: pl.DataFrame

    @property
    def title(self) -> str:
        """Platform title."""
        return " ".join(self.fields.get("title", self.fields.get("platform_title", ())))
