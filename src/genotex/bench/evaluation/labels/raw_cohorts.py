"""The raw files of labelled cohorts, which labels are applied to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from genotex.bench.evaluation.labels.label import LabelledCase
from genotex.errors import FormatError
from genotex.formats import Series, choose_series
from genotex.layout import GeoCohortFiles, InputFolder

__all__ = ["Step", "find_raw", "read_cohorts"]

Step = Callable[[str, int | None], None]
"""Told the label and the total of each step taken."""


def find_raw(
    cases: Iterable[LabelledCase], raw: InputFolder
) -> list[tuple[LabelledCase, GeoCohortFiles]]:
    """Return the cases whose cohort has a folder in the input, with its files."""
    folders: dict[str, dict[str, GeoCohortFiles]] = {}
    found = []
    for case in cases:
        if case.trait not in folders:
            folders[case.trait] = {files.cohort: files for files in raw.geo_cohorts(case.trait)}
        if case.cohort in folders[case.trait]:
            found.append((case, folders[case.trait][case.cohort]))
    return found


def read_cohorts(
    found: Sequence[tuple[LabelledCase, GeoCohortFiles]], progress: Step | None = None
) -> Iterator[tuple[LabelledCase, Series | FormatError]]:
    """Read what the raw files say about their samples, one cohort after the other.

    Yields
    ------
    LabelledCase, Series or FormatError
        The series is that which preprocessing takes, without expression where a matrix is there;
        the error is that of files that cannot be read.
    """
    for case, files in found:
        try:
            series: Series | FormatError = choose_series(files)[0]
        except FormatError as error:
            series = error
        yield case, series
        if progress is not None:
            progress(f"{case.trait} {case.cohort}", len(found))
