"""One GEO series on one platform: annotation of the samples, and their expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ExpressionMatrix:
    """Expression values, rows x samples."""

    ids: tuple[str, ...]
    """Row ids: probes as the platform names them, or gene symbols after mapping. Always strings."""
    samples: tuple[str, ...]
    """Sample ids (GSM accessions, TCGA barcodes), one for each column, all different."""
    values: NDArray[np.floating]
    """Shape (len(ids). Measurements in the unit of the source; missing is NaN."""

    def __post_init__(self) -> None:
        """Check that the shape fits the names."""
        if self.values.shape != (len(self.ids), len(self.samples)):
            msg = (
                f"{self.values.shape} values for {len(self.ids)} rows, {len(self.samples)} samples"
            )
            raise ValueError(msg)


Cells = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class Series:
    """A GEO series from one series matrix, or one platform's part of a family SOFT file."""

    path: Path
    """The file it was read from."""
    samples: tuple[str, ...]
    """GSM accessions in file order."""
    series_fields: Mapping[str, tuple[str, ...]]
    """All ``!Series_*`` lines; keys without ``!Series_``, values in file order."""
    sample_fields: Mapping[str, tuple[Cells, ...]]
    """All ``!Sample_*`` lines; keys without ``!Sample_``. A key that occurs on several lines has
    several rows; a row has one cell for each sample, None where the cell is empty."""
    expression: ExpressionMatrix | None = None
    """The table with probe ids; None when it was not asked for. An empty table has no rows."""
    notes: tuple[str, ...] = field(default=())
    """Irregularities and how they were read (padded lines, non-numeric cells, duplicates)."""

    @property
    def accession(self) -> str:
        """GSE accession, empty if the file does not state it."""
        return self._first("geo_accession")

    @property
    def title(self) -> str:
        """Series title."""
        return " ".join(self.series_fields.get("title", ()))

    @property
    def summary(self) -> str:
        """Series summary, its lines joined by line ends."""
        return "\n".join(self.series_fields.get("summary", ()))

    @property
    def overall_design(self) -> str:
        """Series design, its lines joined by line ends."""
        return "\n".join(self.series_fields.get("overall_design", ()))

    @property
    def platform(self) -> str | None:
        """GPL accession of the samples: the most frequent one, else the series' only one."""
        rows = self.sample_fields.get("platform_id", ())
        cells = [cell for row in rows for cell in row if cell]
        if cells:
            return max(sorted(set(cells)), key=cells.count)
        platforms = self.series_fields.get("platform_id", ())
        return platforms[0] if len(platforms) == 1 else None

    @property
    def characteristics(self) -> tuple[Cells, ...]:
        """The ``!Sample_characteristics_ch1`` rows, numbered from 0 in file order."""
        return self.sample_fields.get("characteristics_ch1", ())

    def _first(self, name: str) -> str:
        return next(iter(self.series_fields.get(name, ())), "")


_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|multiple)"
_PEOPLE = r"(?:donor|patient|individual|subject|volunteer|participant|person|people|control|case)s?"
_POOL = re.compile(
    r"(?<![a-z])(?<!non)(?<!non[- ])(?<!not )(?<!un)(?<!un-)pool(?:s|ed)?(?![a-z])"
    rf"|\b(?:mix|mixture|blend) of (?:\w+[ -]){{0,4}}(?:rnas?|samples?|tissues|{_PEOPLE})\b"
    rf"|\b(?:of|from) {_NUMBER} (?:\w+[ -]){{0,3}}{_PEOPLE}\b",
    re.IGNORECASE,
)


def names_pool(text: str) -> bool:
    """Return whether a text names a pool of people."""
    return _POOL.search(text) is not None
