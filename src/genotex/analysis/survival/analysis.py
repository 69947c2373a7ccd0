"""Genes associated with the time to an event, from tables of one's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.fitting import DesignData
from genotex.analysis.designs.formulas import Formulas, check_column, fit_formula
from genotex.analysis.designs.request import DesignRequest, complete_rows, typed_columns
from genotex.analysis.gene_tests.gene_filter import filter_genes
from genotex.analysis.gene_tests.p_values import q_of_known
from genotex.analysis.results.method_record import session, versions
from genotex.analysis.survival.score_tests import CoxTests, cox_score_tests
from genotex.analysis.survival.time_to_event import read_events, read_times
from genotex.arrays import Floats, Rows
from genotex.errors import FormatError, UsageError
from genotex.formats import inert_frame, original_frame, read_json_object, why_no_formula
from genotex.io import atomic_write
from genotex.options import AnalysisOptions, DesignOptions
from genotex.outside import read_document
from genotex.records import Check, Shape, TypedDict, checked

SURVIVAL_FILES = ("genes.csv", "survival.json")
_NUMBERS = ("log_hazard_ratio", "ci_low", "ci_high", "hazard_ratio", "mean", "z", "p", "q")


@dataclass(frozen=True, eq=False)
class SurvivalResult:
    """The genes associated with the time to an event."""

    # Tested genes by p-value: ``gene``, ``log_hazard_ratio`` per unit of log2 expression with
    # ``ci_low`` and ``ci_high`` (Wald, 95 %), ``hazard_ratio``, ``mean``, ``z`` and ``p`` of the
    # score test, ``q``
    genes: pl.DataFrame
    method: Mapping[str, Any]  # How it came about, plain JSON values
    warnings: tuple[str, ...]  # What a reader should know before trusting the list
    # (n,): of the samples that took part (``method["samples"]``), event 1 or 0
    time: Floats
    event: Floats
    names: tuple[str, ...]  # The p genes of the data, tested or not
    expression: Floats  # (n, p): their log2 expression in these samples

    @property
    def significant(self) -> pl.DataFrame:
        """Genes with a q-value below the cut."""
        return self.genes.filter(pl.col("q") < self.method["options"]["q_cut"])


def fit_survival(
    data: DesignData, asked: DesignOptions, options: AnalysisOptions | None = None
) -> SurvivalResult:
    """Test every gene for association with the time to an event, by the score test of Cox models.

    The design that is asked for holds the covariates, such as ``~ age + stage``. Of the options
    `q_cut` and `filter_low` have an effect.

    Raises
    ------
    UsageError
        If columns are not there.
    AnalysisError
        If times or events make no sense, are missing, or are too few.
    """
    options = options or AnalysisOptions()
    set_up = _set_up(data, asked)
    time, event = (set_up.table[name].to_list() for name in asked.time_and_event)
    expression, columns = data.expression[set_up.rows], set_up.covariates
    contrast = Contrast(False, set_up.rows, set_up.rows.astype(np.float64), "", 0, 1, {})
    kept = filter_genes(expression, contrast, len(columns) + 1, options.filter_low)
    found = set_up.test(expression[:, kept.tested], time, event)
    genes = [data.genes[int(j)] for j in np.flatnonzero(kept.tested)]
    method = {
        "model": "score test of each gene in a Cox model (Efron's ties), given the covariates",
        "survival": dict(zip(("time", "event"), asked.time_and_event, strict=True)),
        "formula": asked.design,
        "covariates": dict(zip(columns, found.covariates.tolist(), strict=True)),
        "samples": [data.samples[int(i)] for i in set_up.rows],
        "events": int(found.events.max(initial=0)),
        "filter": dict(kept.record),
        "filled": set_up.filled,
        "options": options.as_json(),
        "versions": versions(),
        "session": session(),
    }
    table = _table(genes, found, np.nanmean(expression[:, kept.tested], axis=0))
    warnings = (*set_up.warnings, *found.warnings)
    return SurvivalResult(
        table, method, warnings, read_times(time), read_events(event), data.genes, expression
    )


def check_survival(data: DesignData, asked: DesignOptions) -> tuple[str, tuple[str, ...]]:
    """Return what would be tested, in words, and warnings; raises as `fit_survival`."""
    set_up = _set_up(data, asked)
    time, event = (set_up.table[name].to_list() for name in asked.time_and_event)
    columns = set_up.covariates
    set_up.test(np.zeros((len(set_up.rows), 0)), time, event)
    events = int(read_events(event).sum())
    given = f", given {', '.join(columns)}" if columns else ""
    return f"{len(set_up.rows)} samples, {events} events{given}", tuple(set_up.warnings)


@dataclass(frozen=True, eq=False)
class _SetUp:
    """The samples that have what is needed, and the columns of the covariates."""

    rows: Rows
    table: pl.DataFrame
    covariates: Mapping[str, Floats]
    filled: Mapping[str, int]
    warnings: Sequence[str]

    def test(self, expression: Floats, time: Any, event: Any) -> CoxTests:
        names, columns = list(self.covariates), list(self.covariates.values())
        adjusted = np.column_stack(columns) if columns else None
        return cox_score_tests(expression, time, event, adjusted, covariate_names=names or None)


def _set_up(data: DesignData, asked: DesignOptions) -> _SetUp:
    table = typed_columns(data.table)
    for name in asked.time_and_event:
        check_column(name, table.columns, f"--survival {asked.survival}")
    formula = Formulas.read(asked.design or "~ 1", table.columns)
    if formula.parsed.offsets:
        msg = f"the design {formula.said} has an offset, which a time to an event does not take"
        raise UsageError(msg)
    request = DesignRequest(
        asked.design, "", data.samples, table, None, asked.missing, asked.levels
    )
    needed = (*asked.time_and_event, *formula.variables)
    table, keep, filled, warnings = complete_rows(needed, request, table, data.samples)
    rows, table = np.flatnonzero(keep), table.filter(pl.Series(keep))
    design = fit_formula(formula, table, [data.samples[int(i)] for i in rows], asked.levels)
    covariates = {
        name: design.matrix[:, j] for j, name in enumerate(design.names) if name != "Intercept"
    }
    return _SetUp(rows, table, covariates, filled, warnings)


def _table(genes: Sequence[str], found: CoxTests, mean: Floats) -> pl.DataFrame:
    low, high = found.interval()
    columns = {
        "gene": genes,
        "log_hazard_ratio": found.log_hazard_ratio,
        "ci_low": low,
        "ci_high": high,
        "hazard_ratio": found.hazard_ratio,
        "mean": mean,
        "z": found.z,
        "p": found.p,
        "q": q_of_known(found.p),
    }
    return pl.DataFrame(columns).fill_nan(None).sort("p", "gene", nulls_last=True)


def write_survival(folder: Path, found: SurvivalResult) -> tuple[Path, Path]:
    """Write ``genes.csv`` and ``survival.json``; return both."""
    table, record = (folder / name for name in SURVIVAL_FILES)
    text = json.dumps({**found.method, "warnings": list(found.warnings)}, indent=2, allow_nan=False)
    with atomic_write(table) as part, part.open("wb") as handle:
        inert_frame(found.genes).write_csv(handle)
    with atomic_write(record) as part:
        part.write_text(text + "\n", encoding="utf-8")
    return table, record


def read_survival(folder: Path) -> SurvivalResult:
    """Read what `write_survival` wrote; times, events and expression are not among it.

    Raises
    ------
    FormatError
        If one of the two files is not what it should be.
    """
    table, record = (folder / name for name in SURVIVAL_FILES)
    hint = "run the analysis again"
    method = read_json_object(record, hint)
    stored = checked(_StoredSurvival, method, path=record, hint=hint)
    del method["warnings"]
    try:
        types = {"gene": pl.String} | dict.fromkeys(_NUMBERS, pl.Float64)
        content = read_document(table, "unpacked")
        genes = original_frame(pl.read_csv(content, schema_overrides=types))
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"the table of genes cannot be read: {error}"
        raise FormatError(msg, path=table, hint=hint) from error
    if genes.columns != list(types):
        msg = "is not the table of the same analysis: its columns are others"
        raise FormatError(msg, path=table, hint=hint)
    none = np.zeros(0)
    return SurvivalResult(genes, method, stored.warnings, none, none, (), np.zeros((0, 0)))


class _TimeAndEvent(TypedDict):
    """Columns of the sample table."""

    time: str
    event: str


class _Cut(TypedDict):
    """What is used of the options."""

    q_cut: float


@dataclass(frozen=True)
class _StoredSurvival:
    """What is used of the record of a time to an event; all else in it is for people."""

    survival: Annotated[dict[str, Any], Shape(_TimeAndEvent)]
    options: Annotated[dict[str, Any], Shape(_Cut)]
    samples: tuple[str, ...]
    warnings: tuple[str, ...]
    model: str = ""
    formula: Annotated[str, Check(why_no_formula)] | None = None
    covariates: Mapping[str, float | None] = field(default_factory=dict)
    events: int = 0
    filter: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str | None] = field(default_factory=dict)
