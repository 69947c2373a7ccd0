"""Array platforms: which probes they have, what those measure, and their annotation tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Floats

Style = Literal["affymetrix", "illumina"]

_PROBES_PER_GENE = (0.38, 0.30, 0.17, 0.09, 0.06)
_MISSING_SHARE = 0.002


@dataclass(frozen=True, eq=False)
class Array:
    """One array design."""

    accession: str  # as in the ``!Platform_`` lines
    title: str
    manufacturer: str
    ids: tuple[str, ...]  # probes in table order
    target: NDArray[np.int64]  # gene a probe measures, and the other gene of a multi-gene probe
    second: NDArray[np.int64]
    offset: Floats  # affinity on the log2 scale, response to a change of the gene, technical noise
    gain: Floats
    noise: Floats
    scale: Literal["linear", "log2"]  # "linear" (as MAS 5.0 gives) or "log2"
    table: pl.DataFrame  # the annotation, strings only
    columns: dict[str, str]  # what each column of the table holds


def measure(rng: np.random.Generator, array: Array, expression: Floats, level: Floats) -> Floats:
    """Return what the scanner reports, probes x samples, in the array's scale; NaN is missing."""
    probes, n = len(array.ids), expression.shape[1]
    change = expression - level[:, None]
    values: Floats = np.full((probes, n), 6.0)
    own = array.target >= 0
    values[own] = level[array.target[own], None] + change[array.target[own]]
    both = array.second >= 0
    values[both] = np.logaddexp2(values[both], expression[array.second[both]])
    centre = values.mean(axis=1, keepdims=True)
    values = centre + array.gain[:, None] * (values - centre) + array.offset[:, None]
    values += array.noise[:, None] * rng.standard_normal((probes, n))
    values = np.clip(values, 1.0, 15.9)
    if array.scale == "linear":
        return np.round(2.0**values, 1)
    values[rng.random((probes, n)) < _MISSING_SHARE] = np.nan
    weak = rng.choice(probes, size=max(1, probes // 500), replace=False)
    values[np.ix_(weak, rng.choice(n, size=n // 3, replace=False))] = np.nan
    return np.round(values, 4)


def genes_seen(array: Array, values: Floats, genes: int) -> NDArray[np.bool_]:
    """Return for which genes and samples a probe of the gene alone has a value, genes x samples."""
    own = (array.target >= 0) & (array.second < 0)
    seen = np.zeros((genes, values.shape[1]), dtype=bool)
    np.logical_or.at(seen, array.target[own], ~np.isnan(values[own]))
    return seen


def _layout(
    rng: np.random.Generator, genes: int, share: float, always: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the gene, and the second gene of multi-gene probes, of each probe; -1 is none."""
    measured = np.flatnonzero(rng.random(genes) < share)
    measured = np.union1d(measured, always)
    copies = rng.choice(len(_PROBES_PER_GENE), size=len(measured), p=_PROBES_PER_GENE) + 1
    own = np.repeat(measured, copies)
    multi = rng.choice(measured, size=(max(2, genes // 40), 2))
    multi = multi[multi[:, 0] != multi[:, 1]]
    nameless = np.full(max(2, genes // 10), -1)
    target = np.concatenate([own, multi[:, 0], nameless])
    second = np.concatenate([np.full(len(own), -1), multi[:, 1], nameless])
    order = rng.permutation(len(target))
    return target[order], second[order]


def _response(rng: np.random.Generator, probes: int) -> tuple[Floats, Floats, Floats]:
    offset = rng.normal(0, 0.7, probes)
    gain = rng.uniform(0.85, 1.05, probes)
    return offset, gain, rng.uniform(0.08, 0.20, probes)


def _symbols(
    symbols: Sequence[str], target: NDArray[np.int64], second: NDArray[np.int64], separator: str
) -> list[str]:
    return [
        "" if a < 0 else symbols[a] if b < 0 else f"{symbols[a]}{separator}{symbols[b]}"
        for a, b in zip(target.tolist(), second.tolist(), strict=True)
    ]


def draw_array(
    style: Style,
    rng: np.random.Generator,
    symbols: Sequence[str],
    always: NDArray[np.int64],
    accession: str,
) -> Array:
    """Return an array in the style of a manufacturer."""
    draw = _affymetrix_array if style == "affymetrix" else _illumina_array
    return draw(rng, symbols, always, accession)


def _affymetrix_array(
    rng: np.random.Generator, symbols: Sequence[str], always: NDArray[np.int64], accession: str
) -> Array:
    """Ids such as ``200012_x_at`` and a ``Gene Symbol`` column."""
    target, second = _layout(rng, len(symbols), 0.97, always)
    numbers = np.sort(rng.choice(np.arange(200_000, 300_000), size=len(target), replace=False))
    endings = rng.choice(["_at", "_s_at", "_x_at"], size=len(target), p=[0.72, 0.18, 0.10])
    # A multi-gene probe set is one whose probes match several transcripts: `_s_at` by its name.
    endings = np.where(second >= 0, "_s_at", endings)
    ids = [f"{number}{ending}" for number, ending in zip(numbers, endings, strict=True)]
    ids[0] = "1007_s_at"
    controls = [f"AFFX-Sim{letter}-{end}_at" for letter in "ABCDEFGHIJ" for end in "35M"]
    target, second = (np.concatenate([x, np.full(len(controls), -1)]) for x in (target, second))
    names = _symbols(symbols, target, second, " /// ")
    is_control = np.arange(len(target)) >= len(ids)
    ids += controls
    table = _table(
        {
            "ID": ids,
            "GB_ACC": [f"SIM{i:06d}" if not c else "" for i, c in enumerate(is_control)],
            "SPOT_ID": ["--Control" if c else "" for c in is_control],
            "Species Scientific Name": ["Homo sapiens"] * len(ids),
            "Annotation Date": ["Jan 1, 2020"] * len(ids),
            "Sequence Type": ["Control sequence" if c else "Exemplar sequence" for c in is_control],
            "Target Description": [
                f"simulated transcript {i} /FEA=mRNA /DEF=Homo sapiens, complete cds"
                for i in range(len(ids))
            ],
            "Gene Title": ["simulated transcript" if name else "" for name in names],
            "Gene Symbol": names,
        }
    )
    columns = {
        "ID": "Affymetrix-like Probe Set ID",
        "GB_ACC": "Accession Number of the simulated sequence",
        "SPOT_ID": "identifies controls",
        "Species Scientific Name": "The genus and species of the organism",
        "Annotation Date": "The date that the annotations were last updated",
        "Sequence Type": "",
        "Target Description": "",
        "Gene Title": "Title of Gene represented by the probe set.",
        "Gene Symbol": "A gene symbol, when one is available.",
    }
    title = "[Sim-U133] Simulated Human Genome Array, probe sets in the style of Affymetrix"
    return Array(
        accession, title, "Simulated", tuple(ids), target, second, *_response(rng, len(ids)),
        "linear", table, columns,
    )  # fmt: skip


def _illumina_array(
    rng: np.random.Generator, symbols: Sequence[str], always: NDArray[np.int64], accession: str
) -> Array:
    """Ids such as ``ILMN_1651199`` and a ``Symbol`` column."""
    target, second = _layout(rng, len(symbols), 0.94, always)
    controls = 40
    target, second = (np.concatenate([x, np.full(controls, -1)]) for x in (target, second))
    count = len(target)
    numbers = np.sort(rng.choice(np.arange(1_650_000, 1_820_000), size=count, replace=False))
    ids = [f"ILMN_{number}" for number in numbers]
    names = _symbols(symbols, target, second, ";")
    is_control = np.arange(count) >= count - controls
    bases = np.array(list("ACGT"))[rng.integers(0, 4, size=(count, 50))]
    table = _table(
        {
            "ID": ids,
            "Species": ["Homo sapiens"] * count,
            "Source": ["ILMN_Controls" if c else "RefSeq" for c in is_control],
            "Transcript": [f"ILMN_S{i:06d}" for i in range(count)],
            "ILMN_Gene": [name.upper() for name in names],
            "Symbol": names,
            "Array_Address_Id": [str(10_000 + 7 * i) for i in range(count)],
            "Probe_Type": ["" if c else "S" for c in is_control],
            "SEQUENCE": ["".join(row) for row in bases],
            "Definition": ["Homo sapiens simulated transcript, mRNA." if s else "" for s in names],
        }
    )
    columns = {
        "ID": "Unique identifier for the probe (across all products and species)",
        "Species": "",
        "Source": "Transcript sequence source name",
        "Transcript": "Internal transcript id",
        "ILMN_Gene": "Internal gene symbol",
        "Symbol": "Gene symbol from the source database",
        "Array_Address_Id": "Decoder id",
        "Probe_Type": "Information about what this probe is targeting",
        "SEQUENCE": "Probe sequence",
        "Definition": "Gene description from the source",
    }
    title = "Simulated HumanHT expression beadchip, in the style of Illumina"
    return Array(
        accession, title, "Simulated", tuple(ids), target, second, *_response(rng, count),
        "log2", table, columns,
    )  # fmt: skip


def _table(columns: dict[str, list[str]]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
