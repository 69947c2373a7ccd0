"""The samples of a preprocessed cohort as a whole: components, correlations, distributions, checks.

A cohort is read once; only what its plots show stays in memory.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis import check_samples, choose_contrast
from genotex.errors import AnalysisError
from genotex.formats import Evidence, LinkedTable, read_evidence, read_linked
from genotex.layout import OutputFolder
from genotex.reports import order_rows, principal_components

__all__ = ["CohortQuality", "LoadedCohorts", "colours_of"]

Floats = NDArray[np.float64]

_KEPT = 8
_MOST_GENES = 5000
"""Components and correlations are computed over so many genes, those that vary most."""
_MOST_DRAWN = 200
"""Samples with a density curve, or a row of the heatmap."""
_BINS = 80
_SMOOTH = np.array([1, 6, 15, 20, 15, 6, 1]) / 64
"""Weights of a step of a density and its neighbours."""
_MOST_LEVELS = 12
_CONTINUOUS = 6
"""With more different numbers than this, a column is drawn on a scale."""
_SEXES = {0.0: "female", 1.0: "male"}


@dataclass(frozen=True, eq=False)
class CohortQuality:
    """What the quality page shows of a cohort.

    Attributes
    ----------
    samples : tuple of str
        The n samples of the linked table.
    genes : int
    columns : dict of str to list of str
        What the cohort's record holds of each sample: group, age, sex, characteristics.
    record : dict
        The checks (`SampleQuality.record`), or ``judged`` false and a ``note``.
    warnings : tuple of str
    pca, mds : ndarray, shape (n, 2)
    explained : tuple of float
        Shares of variance of the two components.
    correlation : ndarray of float32, shape (n, n)
    drawn : ndarray of int
        At most 200 samples, those alike next to each other; outliers are among them.
    quantiles : ndarray, shape (n, 5)
        5, 25, 50, 75 and 95 % of the values of each sample.
    densities : ndarray, shape (len(drawn), bins)
    middles : ndarray, shape (bins,)
    """

    samples: tuple[str, ...]
    genes: int
    columns: dict[str, list[str]]
    record: dict[str, Any]
    warnings: tuple[str, ...]
    pca: Floats
    mds: Floats
    explained: tuple[float, float]
    correlation: NDArray[np.float32]
    drawn: NDArray[np.intp]
    quantiles: Floats
    densities: Floats
    middles: Floats

    @classmethod
    def read(cls, output: OutputFolder, trait: str, cohort: str) -> CohortQuality:
        """Read a cohort from its files and measure its samples."""
        table = read_linked(output, trait, cohort)
        path = output.evidence(trait, cohort)
        evidence = read_evidence(path) if path.is_file() else None
        record, warnings = _checked(table, evidence)
        chosen = _most_variable(table.expression)
        components = principal_components(chosen)
        correlation = _correlation(chosen)
        drawn = _drawn(table.samples, correlation, record)
        densities, middles = _densities(table.expression[drawn])
        return cls(
            table.samples,
            len(table.genes),
            _columns(table, evidence),
            record,
            warnings,
            components.scores,
            _scaled(correlation),
            components.explained,
            correlation.astype(np.float32),
            drawn,
            np.nanpercentile(table.expression, (5, 25, 50, 75, 95), axis=1).T,
            densities,
            middles,
        )


def _checked(
    table: LinkedTable, evidence: Evidence | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return record and warnings of the checks that an analysis would make."""
    roles = {} if evidence is None else evidence.roles
    try:
        contrast = choose_contrast(table, roles, "all")
    except AnalysisError as error:
        return {"judged": False, "note": str(error)}, ()
    facts = {} if evidence is None else evidence.sample_facts
    texts = {} if evidence is None else evidence.sample_texts
    quality = check_samples(table, contrast, facts, texts)
    return quality.record, (*quality.warnings, *quality.block_warnings)


def _most_variable(expression: Floats) -> Floats:
    """Return the genes that vary most (n, at most 5000), missing values filled by their mean."""
    known = np.isfinite(expression)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, expression, 0.0).sum(axis=0) / count
    square = np.where(known, expression - mean, 0.0)
    spread = np.einsum("ij,ij->j", square, square)
    places = np.sort(np.argsort(spread)[::-1][:_MOST_GENES])
    chosen = expression[:, places]
    return np.where(np.isfinite(chosen), chosen, mean[places])


def _correlation(values: Floats) -> Floats:
    """Return the correlation of each two samples; 0 where a sample does not vary."""
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    scaled = centred / np.where(length > 0, length, 1.0)[:, None]
    found: Floats = np.clip(scaled @ scaled.T, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def _scaled(correlation: Floats) -> Floats:
    """Return two coordinates by classical scaling of the squared distances 2 (1 - r)."""
    n = len(correlation)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(centre @ correlation @ centre)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        column = vectors[:, -1 - k] * np.sqrt(max(values[-1 - k], 0.0))
        places[:, k] = column if column[np.argmax(np.abs(column))] >= 0 else -column
    return places


def _drawn(
    samples: Sequence[str], correlation: Floats, record: Mapping[str, Any]
) -> NDArray[np.intp]:
    """Return the samples of heatmap and density plot, those alike next to each other."""
    outliers = {row["sample"] for row in record.get("outliers", ())}
    places = np.unique(np.linspace(0, len(samples) - 1, _MOST_DRAWN).round().astype(np.intp))
    named = [i for i, sample in enumerate(samples) if sample in outliers]
    kept = np.union1d(places, np.array(named[:_MOST_DRAWN], dtype=np.intp))
    order: NDArray[np.intp] = kept[order_rows(correlation[np.ix_(kept, kept)])]
    return order


def _densities(expression: Floats) -> tuple[Floats, Floats]:
    """Return the share of each sample's values per unit in equal steps, and their middles."""
    known = expression[np.isfinite(expression)]
    low, high = (float(v) for v in np.percentile(known, (0.1, 99.9))) if known.size else (0.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-6), _BINS + 1)
    counts = np.array(
        [np.histogram(row[np.isfinite(row)], edges)[0] for row in expression],
        dtype=np.float64,
    )
    counts = np.array([np.convolve(row, _SMOOTH, mode="same") for row in counts])
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return counts / total / (edges[1] - edges[0]), (edges[:-1] + edges[1:]) / 2


def _columns(table: LinkedTable, evidence: Evidence | None) -> dict[str, list[str]]:
    """Return what the record holds of each sample, as texts."""
    roles = {} if evidence is None else evidence.roles
    columns = {"group": [str(roles.get(sample, "")) for sample in table.samples]}
    if not any(columns["group"]):
        columns["group"] = _texts(table.trait_values)
    if len(set(table.trait_values[np.isfinite(table.trait_values)])) > 2:
        columns[table.trait.replace("_", " ")] = _texts(table.trait_values)
    for name, values in table.covariates.items():
        sexes = [_SEXES.get(float(value), "") for value in values]
        columns["sex" if name == "Gender" else name.lower()] = (
            sexes if name == "Gender" else _texts(values)
        )
    facts = {} if evidence is None else evidence.sample_facts
    for name, found in facts.items():
        columns.setdefault(name, [found.get(sample) or "" for sample in table.samples])
    return columns


def _texts(values: Floats) -> list[str]:
    return [f"{value:g}" if np.isfinite(value) else "" for value in values.tolist()]


def colours_of(cells: Sequence[str]) -> dict[str, Any]:
    """Return what samples are coloured by: numbers on a scale, or at most 12 named levels."""
    known = [cell for cell in cells if cell]
    try:
        numbers = [float(cell) if cell else None for cell in cells]
    except ValueError:
        numbers = []
    finite = [value for value in numbers if value is not None and np.isfinite(value)]
    if numbers and len(finite) == len(known) and len(set(finite)) > _CONTINUOUS:
        return {"numeric": True, "values": numbers}
    ranked = sorted(dict.fromkeys(known), key=known.count, reverse=True)
    common = ranked if len(ranked) <= _MOST_LEVELS else ranked[: _MOST_LEVELS - 1]
    named = [cell if cell in common else "other" if cell else "not recorded" for cell in cells]
    levels = [level for level in (*common, "other", "not recorded") if level in named]
    return {"numeric": False, "values": named, "levels": list(dict.fromkeys(levels))}


_Key = tuple[Path, int, int]


class LoadedCohorts:
    """The cohorts whose samples were looked at last; one whose file has changed is read again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, CohortQuality] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, output: OutputFolder, trait: str, cohort: str) -> CohortQuality:
        """Return a cohort, read from its files the first time."""
        path = output.linked_csv(trait, cohort)
        state = path.stat()
        key = path, state.st_mtime_ns, state.st_size
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= _KEPT:
                    self._kept.popitem(last=False)
                self._kept[key] = CohortQuality.read(output, trait, cohort)
            self._kept.move_to_end(key)
            return self._kept[key]
