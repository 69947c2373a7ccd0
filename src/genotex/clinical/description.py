"""What an expert may see of a series: its texts and its samples' annotations, never expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genotex.formats import Platform, Series

SHOWN_VALUES = 30
"""Most unique values of a row that are shown to people and models (the benchmark's limit)."""

_PREVIEW_ROWS = 5
_FIRST_IDS = 20

Cell = str | None


@dataclass(frozen=True)
class SeriesDescription:
    """Everything that an expert may see of a series."""

    cohort: str = ""
    """GSE accession."""
    # The submitter's texts.
    title: str = ""
    summary: str = ""
    overall_design: str = ""
    series_type: tuple[str, ...] = ()
    """``!Series_type`` lines ("Expression profiling by array"); empty when missing."""
    # Organism names and NCBI taxonomy ids of samples and platform; empty when missing.
    organisms: tuple[str, ...] = ()
    taxids: tuple[str, ...] = ()
    platform_title: str = ""
    """Titles of the platforms."""
    molecule: tuple[str, ...] = ()
    """Unique ``!Sample_molecule_ch1`` values."""
    library_strategy: tuple[str, ...] = ()
    """Unique ``!Sample_library_strategy`` values ("RNA-Seq"); empty for arrays."""
    characteristics: tuple[tuple[Cell, ...], ...] = ()
    """For each characteristics row its unique raw cells in order of appearance, None for empty."""
    cells: tuple[tuple[Cell, ...], ...] | None = None
    """The characteristics rows with one cell for each sample; None when missing."""
    # One cell for each sample; empty when missing.
    titles: tuple[Cell, ...] = ()
    source_names: tuple[Cell, ...] = ()
    descriptions: tuple[tuple[Cell, ...], ...] = ()
    """``!Sample_description`` rows with one cell for each sample."""
    first_ids: tuple[str, ...] = ()
    """First row ids of the expression table."""
    annotation_columns: tuple[str, ...] = ()
    """Columns of the platform table."""
    annotation_preview: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    """First cells of these columns."""
    samples: tuple[str, ...] = ()
    """Sample ids, in the order of the cells; empty when missing."""

    @property
    def text(self) -> str:
        """Title, summary and design in one."""
        return "\n".join((self.title, self.summary, self.overall_design))

    def shown(self, limit: int = SHOWN_VALUES) -> dict[int, list[str]]:
        """Return each row's first unique cells for display, ``nan`` for an empty one."""
        return {
            number: ["nan" if cell is None else cell for cell in row[:limit]]
            for number, row in enumerate(self.characteristics)
        }


def describe_series(series: Series, platforms: Sequence[Platform] = ()) -> SeriesDescription:
    """Describe a series that was read from a file.

    `platforms`: Annotation tables of its platforms, those available.
    """
    fields = series.sample_fields
    platform = next((p for p in platforms if p.accession == series.platform), None)
    platform = platform or next(iter(platforms), None)
    preview: dict[str, tuple[Cell, ...]] = {}
    if platform is not None:
        head = platform.table.head(_PREVIEW_ROWS)
        preview = {name: tuple(head[name].to_list()) for name in head.columns}
    ids = series.expression.ids[:_FIRST_IDS] if series.expression is not None else ()
    taxids = (*_series_values(series, "sample_taxid"), *_sample_values(series, "taxid_ch1"))
    return SeriesDescription(
        cohort=series.accession,
        title=series.title,
        summary=series.summary,
        overall_design=series.overall_design,
        series_type=_unique(series.series_fields.get("type", ())),
        organisms=_sample_values(series, "organism_ch1"),
        taxids=_unique(taxids or _series_values(series, "platform_taxid")),
        platform_title=" ".join(p.title for p in platforms if p.title),
        molecule=_sample_values(series, "molecule_ch1"),
        library_strategy=_sample_values(series, "library_strategy"),
        characteristics=tuple(tuple(dict.fromkeys(row)) for row in series.characteristics),
        cells=series.characteristics,
        titles=next(iter(fields.get("title", ())), ()),
        source_names=next(iter(fields.get("source_name_ch1", ())), ()),
        descriptions=fields.get("description", ()),
        first_ids=ids,
        annotation_columns=tuple(preview),
        annotation_preview=preview,
        samples=series.samples,
    )


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _series_values(series: Series, name: str) -> tuple[str, ...]:
    return _unique([word for v in series.series_fields.get(name, ()) for word in v.split()])


def _sample_values(series: Series, name: str) -> tuple[str, ...]:
    rows = series.sample_fields.get(name, ())
    return _unique([cell for row in rows for cell in row if cell])
