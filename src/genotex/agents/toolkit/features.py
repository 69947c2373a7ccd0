"""Trait, age and gender of the samples, encoded by generated code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.sources import ClinicalColumns, SeriesText
from genotex.agents.toolkit.tool import Made, NumberTable, listed, tool
from genotex.clinical import NO_CELL, EncodedFeature, FeatureEncoding, apply_encoding, cells_to_code
from genotex.cohorts.tcga.cohort import apply_tcga_encoding, tcga_cells
from genotex.errors import UsageError
from genotex.features import split_cell
from genotex.formats import Role


@dataclass(frozen=True, eq=False)
class Feature(Made):
    """Trait, age or gender of all samples, and how it was coded."""

    made_by: ClassVar[str] = "encode_feature(...)"
    encoding: FeatureEncoding
    encoded: EncodedFeature
    samples: tuple[str, ...]

    @property
    def codes(self) -> NDArray[np.float64]:
        """One code for each sample; NaN is missing."""
        return self.encoded.codes

    @property
    def known(self) -> int:
        """Number of samples with a code."""
        return int((~np.isnan(self.codes)).sum())

    def __repr__(self) -> str:
        """Show number of samples with each code."""
        return f"{self.encoding.feature} ({self.encoding.kind}): {self.summary}"

    @property
    def summary(self) -> str:
        """How many samples have which code, or the range of a measured feature."""
        known = self.codes[~np.isnan(self.codes)]
        missing = f"missing in {len(self.codes) - len(known)} of {len(self.codes)} samples"
        if self.encoding.kind == "continuous" and len(known):
            return f"{known.min():g} to {known.max():g}, mean {known.mean():.4g}; {missing}"
        levels, counts = np.unique(known, return_counts=True)
        shown = (f"{level:g}: {n} samples" for level, n in zip(levels, counts, strict=True))
        return f"{', '.join(shown)}; {missing}"


@dataclass(frozen=True, eq=False, repr=False)
class ClinicalTable(NumberTable):
    """The clinical features of a cohort, features x samples."""

    made_by: ClassVar[str] = "clinical_table(...)"
    task: Task
    source: SeriesText | ClinicalColumns
    trait: Feature | None = None
    age: Feature | None = None
    gender: Feature | None = None
    why_no_trait: str = ""

    @property
    def features(self) -> Mapping[str, Feature]:
        """The available features by the names of their rows."""
        named = {self.task.trait: self.trait, "Age": self.age, "Gender": self.gender}
        return {name: feature for name, feature in named.items() if feature is not None}

    @property
    def rows(self) -> tuple[str, ...]:
        """Trait, Age and Gender as far as available."""
        return tuple(self.features)

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.source.samples

    @property
    def values(self) -> NDArray[np.float64]:
        """Codes."""
        codes = [feature.codes for feature in self.features.values()]
        return np.array(codes).reshape(len(codes), len(self.columns))

    def __repr__(self) -> str:
        """Show one line for each feature."""
        lines = [f"  {name}: {feature.summary}" for name, feature in self.features.items()]
        lines += [f"  {self.task.trait}: not available"] if self.trait is None else []
        return "\n".join([f"clinical features of {len(self.columns)} samples", *lines])


BY = "agent"
"""The source of an encoding that came from generated code."""
_EVIDENCE = ("coded by a written function",)

Converter = Callable[[str], float | None] | Mapping[str, float | None]
"""A written function of one cell, or a table of raw cells; it becomes plain data."""

FeatureName = Literal["trait", "age", "gender"]
Kind = Literal["binary", "continuous"]
_TEXT_FIELDS = ("title", "source_name_ch1", "description")
_CODES: Mapping[Role, float] = {"case": 1.0, "healthy control": 0.0, "other disease": 0.0}
_GROUPS, _TCGA_GROUPS = (0.0, 1.0), (-1.0, 0.0, 1.0)


@tool
def encode_feature(
    source: SeriesText | ClinicalColumns,
    feature: FeatureName,
    row: int | str | Sequence[int],
    convert: Converter,
    *,
    kind: Kind | None = None,
    roles: Mapping[str, Role] | None = None,
    key: str | None = None,
    empty: float | None = None,
) -> Feature:
    """Code trait, age or gender of every sample by a function that you write.

    Parameters
    ----------
    source : SeriesText or ClinicalColumns
        The series, or the clinical matrix of TCGA.
    feature : str
        ``"trait"``, ``"age"`` or ``"gender"``.
    row : int, str or sequence of int
        Of a series: the row of characteristics, or ``"title"``, ``"source_name_ch1"`` or
        ``"description"``; several rows where they are one column: a sample without `key` in any
        row has its cell in the later ones, whatever its header ("disease state: HCM" in some
        samples, "sample type: control" of another row in the others). Of TCGA: a column, or
        ``"barcode"`` for the two digits that end the sample id (``"01"``).
    convert : callable or dict
        Raw cell -> number, or None where the value is not known. A cell of a row carries its
        header (``"age: 61"``). Trait: 0 control, 1 case, or a measure; age: years; gender: 0
        female, 1 male.
    kind : str, optional
        ``"binary"`` or ``"continuous"``; by default age is continuous, the others binary.
    roles : dict, optional
        For a trait with two groups: raw cell -> ``"case"``, ``"healthy control"``, ``"other
        disease"`` or ``"unknown"``. Cells that are not listed are classified by their words.
    key : str, optional
        Header of the cells, where it is not the most frequent one in the row.
    empty : float, optional
        Of a series: code of the samples without a cell, which `convert` is not asked about.

    Returns
    -------
    Feature
        ``codes`` (n numbers, NaN for missing) and ``known`` (how many are not missing); print it
        to see how many samples have which code.

    Examples
    --------
    >>> age = encode_feature(series, "age", 1, lambda cell: float(cell.split(":")[1]))
    """
    kind = kind or ("continuous" if feature == "age" else "binary")
    _check_names(feature, kind)
    if isinstance(source, ClinicalColumns):
        return _of_tcga(source, feature, str(row), convert, kind)
    rows: list[Any] = list(row) if row and isinstance(row, list | tuple) else [row]
    first, *others = (_place(source, feature, each, kind, key) for each in rows)
    place = replace(first, shifted=tuple(each.row for each in others if each.row is not None))
    return _of_series(source, place, rows[0], convert, roles or {}, empty)


def _check_names(feature: str, kind: str) -> None:
    if feature not in get_args(FeatureName):
        msg = f"encode_feature(): feature {feature!r} is not known; use trait, age or gender"
        raise UsageError(msg)
    if kind not in get_args(Kind):
        msg = f"encode_feature(): kind {kind!r} is not known; use binary or continuous"
        raise UsageError(msg)


def _of_series(
    source: SeriesText,
    place: FeatureEncoding,
    row: int | str,
    convert: Converter,
    roles: Mapping[str, Role],
    empty: float | None,
) -> Feature:
    what = "row" if isinstance(row, int) else "field"
    where = f"encode_feature(): {place.feature}, {what} {row}"
    cells = cells_to_code(place, source.raw.series, source.task.procedure)
    binary = _GROUPS if place.kind == "binary" else ()
    codes = code_cells(list(cells), convert, where=where, binary=binary)
    # On one of several lines a cell without a code would hide the line that has one.
    rows = place.row is not None
    kept = {c: code for c, code in codes.items() if code is not None or (rows and cells[c])}
    if empty is not None:
        kept[NO_CELL] = empty
    encoding = replace(
        place, values=kept, roles=_roles(roles, kept, where), evidence=_EVIDENCE, told_by=BY
    )
    encoded = apply_encoding(encoding, source.raw.series, procedure=source.task.procedure)
    return Feature(encoding, encoded, source.samples)


def _place(
    source: SeriesText, feature: FeatureName, row: int | str, kind: Kind, key: str | None
) -> FeatureEncoding:
    """Return an encoding with the place of the feature, and nothing else."""
    series = source.raw.series
    rows = series.characteristics
    if isinstance(row, str) and row in _TEXT_FIELDS:
        return FeatureEncoding(feature, None, key or "", kind, sample_field=row)  # type: ignore[arg-type]
    if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(rows):
        headers = (f"{number} {_header(cells)!r}" for number, cells in enumerate(rows))
        msg = (
            f"encode_feature(): the series has no row {row!r}; its rows are "
            f"{listed(list(headers), 40)}; or use {', '.join(_TEXT_FIELDS)}"
        )
        raise UsageError(msg)
    return FeatureEncoding(feature, row, _header(rows[row]) if key is None else key, kind)


def _header(cells: tuple[str | None, ...]) -> str:
    """Return the most frequent header of a row, empty where most cells have none."""
    headers = Counter(split_cell(cell)[0] for cell in cells if cell is not None)
    return headers.most_common(1)[0][0] if headers else ""


def _roles(
    roles: Mapping[str, Role], codes: Mapping[str, float | None], where: str
) -> dict[str, Role]:
    for cell, role in roles.items():
        if role not in get_args(Role):
            msg = f"{where}: role {role!r} is not known; use {', '.join(get_args(Role))}"
            raise UsageError(msg)
        if cell not in codes:
            msg = (
                f"{where}: `roles` names {cell!r}, which no sample has; the raw cells are "
                f"{listed([repr(known) for known in codes], 30)}"
            )
            raise UsageError(msg)
        code = codes[cell]
        if code is not None and code != _CODES.get(role, code):
            msg = f"{where}: {cell!r} is {role!r} in `roles`, but has the code {code:g}"
            raise UsageError(msg)
    return dict(roles)


def _of_tcga(
    source: ClinicalColumns, feature: FeatureName, column: str, convert: Converter, kind: Kind
) -> Feature:
    barcode = column == "barcode"
    if not barcode and column not in source.names:
        msg = (
            f"encode_feature(): there is no column {column!r}; use barcode, or one of "
            f"{listed(source.names, 200)}"
        )
        raise UsageError(msg)
    raw = tcga_cells(source.raw.matrix, column)
    where = f"encode_feature(): {feature}, column {column}"
    binary = (_TCGA_GROUPS if barcode else _GROUPS) if kind == "binary" else ()
    cells = [cell for cell in dict.fromkeys(raw) if cell is not None]
    codes = code_cells(cells, convert, where=where, binary=binary)
    encoding = FeatureEncoding(
        feature=feature,
        row=None,
        key="sample type code" if barcode else column,
        kind=kind,
        values=codes,
        evidence=_EVIDENCE,
        sample_field="barcode" if barcode else "clinical_matrix",
        told_by=BY,
    )
    return Feature(encoding, apply_tcga_encoding(encoding, source.raw.matrix), source.samples)


@tool
def clinical_table(
    source: SeriesText | ClinicalColumns,
    trait: Feature | None = None,
    age: Feature | None = None,
    gender: Feature | None = None,
    *,
    why_no_trait: str = "",
) -> ClinicalTable:
    """Put the features of a cohort together.

    Parameters
    ----------
    source : SeriesText or ClinicalColumns
        What the features were encoded from.
    trait, age, gender : Feature or None
        As `encode_feature` gives them; None for what is not recorded.
    why_no_trait : str
        Why there is no trait, for the record.

    Returns
    -------
    ClinicalTable
        ``values``, features x n samples; print it to see how each feature is spread.

    Examples
    --------
    >>> clinical = clinical_table(series, trait, age, gender)
    """
    for name, feature in (("trait", trait), ("age", age), ("gender", gender)):
        if feature is None:
            continue
        if feature.encoding.feature != name:
            msg = (
                f"clinical_table(): `{name}` was given the feature {feature.encoding.feature!r}; "
                "give trait, age and gender in this order, or by name"
            )
            raise UsageError(msg)
        if feature.samples != source.samples:
            msg = f"clinical_table(): {name} was encoded from another series"
            raise UsageError(msg)
    _refuse_one_row_for_two([each for each in (trait, age, gender) if each is not None])
    return ClinicalTable(source.task, source, trait, age, gender, why_no_trait)


def _refuse_one_row_for_two(features: Sequence[Feature]) -> None:
    """Refuse two identical features: one of them comes from the wrong row."""
    for first, second in combinations(features, 2):
        if _where(first.encoding) == _where(second.encoding) and _same_values(first, second):
            names = f"{first.encoding.feature} and {second.encoding.feature}"
            msg = (
                f"clinical_table(): {names} come from the same row and have the same values; "
                "correct the row of one, or leave one out where the row holds both"
            )
            raise UsageError(msg)


def _where(encoding: FeatureEncoding) -> tuple[int | None, str, str]:
    return encoding.row, encoding.key, encoding.sample_field


def _same_values(first: Feature, second: Feature) -> bool:
    """Return whether each code of one matches one code of the other, and there are several."""
    both = ~np.isnan(first.codes) & ~np.isnan(second.codes)
    pairs = set(zip(first.codes[both].tolist(), second.codes[both].tolist(), strict=True))
    levels = [len({pair[side] for pair in pairs}) for side in (0, 1)]
    return len(pairs) > 1 and levels == [len(pairs), len(pairs)]


_SHOWN = 4


def code_cells(
    cells: Sequence[str], convert: Converter, *, where: str, binary: Sequence[float] = ()
) -> dict[str, float | None]:
    """Apply what was written to raw cells."""
    if not cells:
        msg = f"{where}: all cells are empty; choose another row, or leave the feature out"
        raise UsageError(msg)
    if isinstance(convert, Mapping):
        codes = {cell: _number(convert.get(cell), cell, where) for cell in cells}
    elif callable(convert):
        codes = {cell: _number(_call(convert, cell, where), cell, where) for cell in cells}
    else:
        msg = f"{where}: `convert` must be a function of one cell, or a dict of raw cell -> code"
        raise UsageError(msg)
    if all(code is None for code in codes.values()):
        raise UsageError(_nothing(cells, convert, where))
    for cell, code in codes.items():
        if binary and code is not None and code not in binary:
            allowed = ", ".join(f"{value:g}" for value in binary)
            msg = (
                f"{where}: {cell!r} was given the code {code:g}, but two groups take {allowed} or "
                'None; if it is measured, encode it with kind="continuous"'
            )
            raise UsageError(msg)
    return codes


def _call(convert: Callable[[str], float | None], cell: str, where: str) -> object:
    try:
        return convert(cell)
    except Exception as error:
        # The function may fail in any way; the reader needs the cell at which it did.
        msg = (
            f"{where}: convert({cell!r}) raised {type(error).__name__}: {error}; cells begin "
            "with their header, and a value that cannot be read must give None"
        )
        raise UsageError(msg) from error


def _number(code: object, cell: str, where: str) -> float | None:
    if code is None:
        return None
    if isinstance(code, Real):
        try:
            number = float(code)
        except OverflowError:
            number = math.inf
        if math.isnan(number):
            return None
        if math.isfinite(number):
            return number
    msg = (
        f"{where}: convert({cell!r}) gave {code!r}, which is not a code; it must give a number, or "
        "None where the value is not known"
    )
    raise UsageError(msg)


def _nothing(cells: Sequence[str], convert: Converter, where: str) -> str:
    shown = listed([repr(cell) for cell in cells], _SHOWN)
    text = f"{where}: every value became None. The raw cells are {shown}"
    if any(_codes_without_header(cell, convert) for cell in cells):
        return (
            f"{text}. They begin with their header, but your code expects the values without "
            "it: remove the header first, as in value = cell.split(':', 1)[1].strip()"
        )
    if isinstance(convert, Mapping):
        return f"{text}; the dict holds {listed([repr(key) for key in convert], _SHOWN)}"
    return f"{text}. Choose another row, or write the function for these values"


def _codes_without_header(cell: str, convert: Converter) -> bool:
    value = cell.partition(":")[2].strip()
    if not value:
        return False
    if isinstance(convert, Mapping):
        return convert.get(value) is not None
    try:
        return convert(value) is not None
    except Exception:  # the function does not expect this form
        return False
