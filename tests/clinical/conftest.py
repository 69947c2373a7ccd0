"""Small series and cases, made by hand."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from genotex.clinical import RuleExpert, SeriesDescription
from genotex.formats import Series

MakeSeries = Callable[..., Series]
MakeDescription = Callable[..., SeriesDescription]
CodesOf = Callable[..., list[float | None] | None]


@pytest.fixture
def make_series() -> MakeSeries:
    """Series from characteristics rows; other sample fields by name."""

    def make(
        *rows: Sequence[str | None], title: str = "", **fields: Sequence[Sequence[str | None]]
    ) -> Series:
        lines = [*rows, *(line for lines in fields.values() for line in lines)]
        count = len(lines[0]) if lines else 0
        sample_fields = {name: tuple(map(tuple, lines)) for name, lines in fields.items()}
        if rows:
            sample_fields["characteristics_ch1"] = tuple(map(tuple, rows))
        return Series(
            path=Path("GSE1_series_matrix.txt"),
            samples=tuple(f"GSM{n + 1}" for n in range(count)),
            series_fields={"title": (title,), "geo_accession": ("GSE1",)},
            sample_fields=sample_fields,
        )

    return make


@pytest.fixture
def make_description() -> MakeDescription:
    """Description from rows of unique cells, as a case file has them."""

    def make(*rows: Sequence[str | None], **fields: object) -> SeriesDescription:
        return SeriesDescription(
            characteristics=tuple(tuple(row) for row in rows),
            **fields,  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def codes_of(make_description: MakeDescription) -> CodesOf:
    """Codes of the values of a single row, None where it does not record the trait."""

    def codes(
        trait: str, key: str, values: Sequence[str], **texts: str
    ) -> list[float | None] | None:
        cells = [f"{key}: {value}" for value in values]
        texts.setdefault("title", f"Expression in {trait.replace('_', ' ')}")
        found = RuleExpert().annotate(make_description(cells, **texts), trait).trait
        return None if found is None else [found.values.get(cell) for cell in cells]

    return codes
