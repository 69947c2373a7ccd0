"""What is read of a cohort before its genes: its files, and what they say of the samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from genotex.agents.task import Task
from genotex.agents.toolkit.tables import listed
from genotex.agents.toolkit.tool import Made
from genotex.cohorts import RawClinical, RawSeries
from genotex.layout import GeoCohortFiles, TcgaCohortFiles

__all__ = ["ClinicalColumns", "CohortFiles", "SeriesText"]


@dataclass(frozen=True, eq=False)
class CohortFiles(Made):
    """The files of one cohort; `geo` or `tcga` is set."""

    made_by: ClassVar[str] = "find_files(task)"
    task: Task
    geo: GeoCohortFiles | None = None
    tcga: TcgaCohortFiles | None = None

    @property
    def by_purpose(self) -> dict[str, tuple[Path, ...]]:
        """The files by what they hold."""
        if self.geo is not None:
            return {
                "series matrix": self.geo.matrices,
                "family SOFT": self.geo.family_soft,
                "platform table": self.geo.platforms,
                **({"RNA-seq counts of NCBI": self.geo.counts} if self.geo.counts else {}),
            }
        assert self.tcga is not None
        found = {
            "clinical matrix": self.tcga.clinical,
            "expression": self.tcga.expression,
            "PANCAN-normalised expression": self.tcga.expression_pancan,
        }
        return {purpose: () if path is None else (path,) for purpose, path in found.items()}

    def __repr__(self) -> str:
        """List the files by what they hold."""
        lines = (
            f"  {what}: {listed([p.name for p in ps])}" for what, ps in self.by_purpose.items()
        )
        return "\n".join([f"files of {self.task.cohort}", *lines])


@dataclass(frozen=True, eq=False)
class SeriesText(Made):
    """What a GEO series says of itself and its samples, without their expression."""

    made_by: ClassVar[str] = "read_series(files)"
    task: Task
    files: GeoCohortFiles
    raw: RawSeries

    @property
    def background(self) -> str:
        """Title, summary and design, as one text."""
        series = self.raw.series
        parts = {
            "Title": series.title,
            "Type": ", ".join(series.series_fields.get("type", ())),
            "Summary": series.summary,
            "Overall design": series.overall_design,
        }
        return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids in file order."""
        return self.raw.series.samples

    def __repr__(self) -> str:
        """Tell what was read."""
        series = self.raw.series
        return (
            f"{self.task.cohort} on {series.platform}: {len(series.samples)} samples, "
            f"{len(series.characteristics)} rows of characteristics"
        )


@dataclass(frozen=True, eq=False)
class ClinicalColumns(Made):
    """The clinical matrix of a TCGA study."""

    made_by: ClassVar[str] = "read_clinical_matrix(files)"
    task: Task
    files: TcgaCohortFiles
    raw: RawClinical

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.raw.matrix.table.columns)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids (barcodes) in file order."""
        return self.raw.matrix.samples

    def __repr__(self) -> str:
        """Tell what was read."""
        return f"{self.files.name}: {len(self.samples)} samples, {len(self.names)} columns"
