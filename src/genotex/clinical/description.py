"""What an expert may see of a series: its texts and its samples' annotations, never expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from genotex.errors import FormatError
from genotex.formats import Platform, Series

__all__ = ["SHOWN_VALUES", "SeriesDescription", "describe_series", "description_from_case"]

SHOWN_VALUES = 30
"""Most unique values of a row that are shown to people and models (the benchmark's limit)."""

PREVIEW_ROWS = 5
FIRST_IDS = 20

Cell = str | None


@dataclass(frozen=True)
class SeriesDescription:
    """All that an expert may see of a series.

    Attributes
    ----------
    cohort : str
        GSE accession.
    title, summary, overall_design : str
        The submitter's texts.
    series_type : tuple of str
        ``!Series_type`` lines ("Expression profiling by array"); empty when not told.
    organisms, taxids : tuple of str
        Organism names and NCBI taxonomy ids of samples and platform; empty when not told.
    platform_title : str
        Titles of the platforms that were read.
    molecule : tuple of str
        Unique ``!Sample_molecule_ch1`` values.
    library_strategy : tuple of str
        Unique ``!Sample_library_strategy`` values ("RNA-Seq"); empty for arrays.
    characteristics : tuple of tuples
        For each characteristics row its unique raw cells in order of appearance, None for empty.
    cells : tuple of tuples, optional
        The characteristics rows with one cell for each sample; None when not told.
    titles, source_names : tuple
        One cell for each sample; empty when not told.
    descriptions : tuple of tuples
        ``!Sample_description`` rows with one cell for each sample.
    first_ids : tuple of str
        First row ids of the expression table.
    annotation_columns : tuple of str
        Columns of the platform table.
    annotation_preview : mapping of str to tuple of str or None
        First cells of these columns.
    """

    cohort: str = ""
    title: str = ""
    summary: str = ""
    overall_design: str = ""
    series_type: tuple[str, ...] = ()
    organisms: tuple[str, ...] = ()
    taxids: tuple[str, ...] = ()
    platform_title: str = ""
    molecule: tuple[str, ...] = ()
    library_strategy: tuple[str, ...] = ()
    characteristics: tuple[tuple[Cell, ...], ...] = ()
    cells: tuple[tuple[Cell, ...], ...] | None = None
    titles: tuple[Cell, ...] = ()
    source_names: tuple[Cell, ...] = ()
    descriptions: tuple[tuple[Cell, ...], ...] = ()
    first_ids: tuple[str, ...] = ()
    annotation_columns: tuple[str, ...] = ()
    annotation_preview: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)

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

    Parameters
    ----------
    series : Series
        The series.
    platforms : sequence of Platform
        Its platforms' annotation tables, as far as they are at hand.

    Returns
    -------
    SeriesDescription
    """
    fields = series.sample_fields
    platform = next((p for p in platforms if p.accession == series.platform), None)
    platform = platform or next(iter(platforms), None)
    preview: dict[str, tuple[Cell, ...]] = {}
    if platform is not None:
        head = platform.table.head(PREVIEW_ROWS)
        preview = {name: tuple(head[name].to_list()) for name in head.columns}
    ids = series.expression.ids[:FIRST_IDS] if series.expression is not None else ()
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
    )


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _series_values(series: Series, name: str) -> tuple[str, ...]:
    return _unique([word for v in series.series_fields.get(name, ()) for word in v.split()])


def _sample_values(series: Series, name: str) -> tuple[str, ...]:
    rows = series.sample_fields.get(name, ())
    return _unique([cell for row in rows for cell in row if cell])


def description_from_case(case: Mapping[str, Any]) -> SeriesDescription:
    """Describe a case of a JSON Lines file (fields: docs/clinical.md).

    Only the fields that a solver may see are read: labels in the same object are ignored.

    Raises
    ------
    FormatError
        If a field does not have the form it must have.
    """
    background = case.get("background") or {}
    rows = case.get("sample_characteristics") or {}
    if not isinstance(background, Mapping) or not isinstance(rows, Mapping):
        msg = "background and sample_characteristics must be objects"
        raise FormatError(msg, hint="see the fields in docs/clinical.md")
    preview = case.get("annotation_preview") or {}
    if not isinstance(preview, Mapping):
        msg = "annotation_preview must be an object of lists"
        raise FormatError(msg, field="annotation_preview")
    for name, cells in preview.items():
        if cells is not None and not isinstance(cells, list | tuple):
            msg = f"column {name!r} must be a list, not {type(cells).__name__}"
            raise FormatError(msg, field="annotation_preview")
    cohort = case.get("cohort")
    if cohort is not None and not isinstance(cohort, str):
        msg = f"must be a text, not {_kind(cohort)}"
        raise FormatError(msg, field="cohort")
    return SeriesDescription(
        cohort=cohort or "",
        title=_text(background, "title"),
        summary=_text(background, "summary"),
        overall_design=_text(background, "overall_design"),
        characteristics=_case_rows(rows),
        first_ids=_texts(case, "first_ids"),
        annotation_columns=_texts(case, "annotation_columns"),
        annotation_preview={
            str(name): tuple(None if v is None else str(v) for v in cells or ())
            for name, cells in preview.items()
        },
    )


def _kind(value: object) -> str:
    """Name what a JSON value is, with the value where it is short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    return {"dict": "an object", "list": "a list", "NoneType": "null"}.get(
        type(value).__name__, "a text"
    )


def _text(background: Mapping[str, Any], name: str) -> str:
    value = background.get(name)
    parts = value if isinstance(value, list | tuple) else [value]
    wrong = next((part for part in parts if part is not None and not isinstance(part, str)), None)
    if wrong is not None:
        msg = f"must be a text or a list of texts, and holds {_kind(wrong)}"
        raise FormatError(msg, field=f"background.{name}")
    return "\n".join(part for part in parts if part is not None)


def _texts(case: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(case, name)
    for value in values:
        if not isinstance(value, str):
            msg = f"must hold texts only, not {_kind(value)}"
            raise FormatError(msg, field=name, hint="put quotes around it")
    return tuple(values)


def _list(case: Mapping[str, Any], name: str) -> list[Any]:
    value = case.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        msg = f"must be a list, not {type(value).__name__}"
        raise FormatError(msg, field=name)
    return value


def _case_rows(rows: Mapping[str, Any]) -> tuple[tuple[Cell, ...], ...]:
    numbered: dict[int, tuple[Cell, ...]] = {}
    for name, cells in rows.items():
        if not str(name).isdecimal() or not isinstance(cells, list):
            msg = f"row {name!r} must be a number with a list of cells"
            raise FormatError(msg, field="sample_characteristics")
        if int(name) in numbered:
            msg = f"row {name!r} stands twice"
            raise FormatError(msg, field="sample_characteristics")
        for cell in cells:
            if cell is not None and not isinstance(cell, str):
                msg = f"row {name!r} must hold texts and null, not {_kind(cell)}"
                hint = "a cell is the text of the file, as 'age: 45'; null where it is empty"
                raise FormatError(msg, field="sample_characteristics", hint=hint)
        numbered[int(name)] = tuple(dict.fromkeys(cells))
    if numbered and max(numbered) > 10 * len(numbered) + 100:
        msg = f"row number {max(numbered)} is too high for {len(numbered)} rows"
        raise FormatError(msg, field="sample_characteristics")
    return tuple(numbered.get(i, ()) for i in range(max(numbered, default=-1) + 1))
