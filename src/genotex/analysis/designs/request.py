"""A design as it was asked for: formula, contrast and the annotation of the samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import polars as pl

from genotex.analysis.designs.formula_tree import as_text
from genotex.analysis.designs.formulas import Formulas, check_column, listed
from genotex.arrays import Flags
from genotex.errors import AnalysisError, UsageError
from genotex.options import MissingValues, refuse_unknown
from genotex.records import as_json


@dataclass(frozen=True, eq=False)
class DesignRequest:
    """A design as the user asked for it, with the samples it is for."""

    formula: str  # Such as ``~ group + age``
    contrast: str  # Such as ``group: case - control``, or a term or coefficient of the formula
    # Names of the samples and their annotation, a row each; numbers are numeric, all else text
    samples: tuple[str, ...]
    table: pl.DataFrame
    # Column whose equal values are samples of one person; their correlation is estimated
    block: str | None = None
    # What becomes of samples without a value of the design: an error, left out, or filled with the
    # mean or the most frequent level
    missing: MissingValues = "error"
    # Factor to its levels, the reference first
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse unknown words and a table of other samples."""
        refuse_unknown(self, {"missing": get_args(MissingValues)})
        if self.table.height != len(self.samples):
            msg = f"the sample table has {self.table.height} rows for {len(self.samples)} samples"
            raise UsageError(msg)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON, for the record of the cohort."""
        return {
            **as_json(self, "formula", "contrast", "block", "missing", "order", "samples"),
            "table": {
                name: [
                    None if isinstance(value, float) and not np.isfinite(value) else value
                    for value in self.table[name].to_list()
                ]
                for name in self.table.columns
            },
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> DesignRequest | None:
        """Read `as_json`; None from an empty record."""
        if not record:
            return None
        samples, table = tuple(record["samples"]), record["table"]
        if any(len(values) != len(samples) for values in table.values()):
            msg = f"the sample table of the design has not {len(samples)} values in each column"
            raise UsageError(msg)
        for name in (*record["order"], *([record["block"]] if record["block"] else [])):
            check_column(name, list(table), "the design")
        return cls(
            record["formula"],
            record["contrast"],
            samples,
            typed_columns(pl.DataFrame(table, strict=False)),
            record["block"],
            record["missing"],
            {name: tuple(levels) for name, levels in record["order"].items()},
        )

    def rows_of(self, samples: Sequence[str]) -> pl.DataFrame:
        """Return the rows of these samples, in their order."""
        place = {sample: i for i, sample in enumerate(self.samples)}
        if without := [sample for sample in samples if sample not in place]:
            msg = f"the sample table of the design has no row for {listed(without)}"
            raise UsageError(msg)
        return self.table[[place[sample] for sample in samples]]


def typed_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Return a sample table with numbers as float64 and all else as text without empty texts."""
    columns = []
    for name in table.columns:
        values = table[name]
        if values.dtype == pl.Boolean:
            values = values.cast(pl.String)
        if values.dtype.is_numeric():
            columns.append(values.cast(pl.Float64).fill_nan(None))
            continue
        texts = values.cast(pl.String).str.strip_chars()
        texts = texts.set(texts.is_in(["", "NA", "N/A", "NaN", "nan", "null", "None"]), None)
        numbers = texts.cast(pl.Float64, strict=False)
        whole = numbers.is_finite().sum() == texts.len() - texts.null_count()
        numeric = whole and texts.null_count() < texts.len()
        columns.append(numbers if numeric else texts)
    return pl.DataFrame([column.alias(n) for column, n in zip(columns, table.columns, strict=True)])


def one_spelling(
    table: pl.DataFrame, design: str, contrasts: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Give levels that differ in case or blanks alone one spelling; return the table and warnings.

    That is the one which a contrast names, else the most frequent.
    """
    warnings = []
    parts = [contrast.partition(":") for contrast in contrasts]
    factors, asked = [part[0].strip().strip("`") for part in parts], " ".join(p[2] for p in parts)
    variables = Formulas.read(design, table.columns).variables
    for name in dict.fromkeys((*variables, *factors)):
        if name not in table.columns or table[name].dtype != pl.String:
            continue
        counts = Counter(value for value in table[name].to_list() if value is not None)
        spellings: dict[str, list[str]] = {}
        for level, _ in counts.most_common():
            spellings.setdefault(" ".join(level.casefold().split()), []).append(level)
        same = [found for found in spellings.values() if len(found) > 1]
        for found in same:
            named = [s for s in found if re.search(rf"(?<!\w){re.escape(s)}(?!\w)", asked)]
            if len(named) > 1:  # compared with each other, so meant to differ
                continue
            kept = (named or found)[0]
            table = table.with_columns(pl.col(name).replace(dict.fromkeys(found, kept)))
            warnings.append(
                f"{name}: {listed(found)} are taken as one level, {kept!r}; rename them "
                "where they differ."
            )
    return table, warnings


def complete_rows(
    variables: Sequence[str],
    request: DesignRequest,
    annotation: pl.DataFrame,
    samples: Sequence[str],
    keep: Flags | None = None,
) -> tuple[pl.DataFrame, Flags, dict[str, int], list[str]]:
    """Treat samples without a value of the variables as the request says."""
    # Returns the table with filled values, which samples are kept, how many values of each
    # variable were filled, and warnings.
    filled: dict[str, int] = {}
    warnings = []
    keep = np.ones(len(samples), dtype=bool) if keep is None else keep
    for name in variables:
        missing = annotation[name].is_null().to_numpy() & keep
        if not missing.any():
            continue
        names = [samples[int(i)] for i in np.flatnonzero(missing)]
        if missing.sum() == keep.sum():
            msg = f"{name} has no value in any sample, so it cannot be in the design"
            raise AnalysisError(msg)
        if request.missing == "error":
            raise AnalysisError(_why_missing(name, names, int(keep.sum())))
        if request.missing == "drop":
            keep = keep & ~missing
            warnings.append(f"{len(names)} samples without {name} are left out: {listed(names)}.")
            continue
        filled[name] = len(names)
        known = annotation[name].filter(pl.Series(keep)).drop_nulls()
        numeric = known.dtype.is_numeric()
        value = known.mean() if numeric else known.mode().sort()[0]
        annotation = annotation.with_columns(pl.col(name).fill_null(value))
        if not numeric:
            filling = f"{name} was missing in {len(names)} samples and filled with {value!r}."
            warnings.append(filling)
    return annotation, keep, filled, warnings


def _why_missing(name: str, without: Sequence[str], samples: int) -> str:
    return (
        f"{name} is missing in {len(without)} of {samples} samples: {listed(without)}; fill it "
        "in, leave these samples out (--missing drop), or fill it with the mean or the most "
        "frequent level (--missing fill)"
    )


def sample_facts_of(request: DesignRequest) -> dict[str, dict[str, str | None]]:
    """Return the characteristics of the samples in the form of `Evidence.sample_facts`."""
    return {
        name: {
            sample: None if value is None else as_text(value)
            for sample, value in zip(request.samples, request.table[name].to_list(), strict=True)
        }
        for name in request.table.columns
        if request.table[name].n_unique() > 1
    }
