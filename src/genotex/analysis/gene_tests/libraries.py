"""The sequencing libraries of the samples compared, where expression was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from genotex.analysis.designs.blocks import Blocks
from genotex.analysis.gene_tests.precision import SPAN, counts_of
from genotex.analysis.hidden.confounding import associate_measured
from genotex.arrays import Flags, Floats

Counts = Mapping[str, Any]
"""As in `Evidence.counts`."""

TINY_LIBRARY = 1_000_000
FEW_GENES = 1_000
FEWEST_READS = 15
"""A gene with fewer reads in all samples compared is low, as in edgeR's ``filterByExpr``."""
BELOW_ZERO = -1e-3
"""A count that only values other than those recorded can give."""
_FROM_PREPROCESSING = ("genes", "filtered", "kept", "rule", "normalisation")
_UNWEIGHTED = ("surrogate variables", "mixed model", "sparse panel")


@dataclass(frozen=True, eq=False)
class Libraries:
    """Libraries of the samples compared."""

    sizes: Floats | None  # (n,): effective library sizes; None where the tests go without weights
    # Plain JSON: ``weights`` ("voom" or "none"), ``span``, ``unweighted`` (what does without);
    # ``reads``: ``lowest``, ``median`` and ``highest`` of the samples compared; and of
    # `Evidence.counts` ``genes``, ``filtered``, ``kept``, ``rule``, ``normalisation``
    record: dict[str, Any]
    warnings: tuple[str, ...]  # What a reader should know


def gather_libraries(counts: Counts, blocks: Blocks) -> Libraries | None:
    """Return the libraries of the samples compared; None where expression was not counted."""
    if not counts:
        return None
    table, contrast = blocks.table, blocks.contrast
    samples = [table.samples[row] for row in contrast.rows]
    sizes, why = _sizes(counts, samples, blocks)
    warnings = []
    if sizes is None:
        warnings.append(f"The tests do not use voom's precision weights: {why}.")
    reads = _known(counts["totals"], samples)
    warnings += _tiny(reads)
    if counts["kept"] < FEW_GENES:
        few = f"Only {counts['kept']} genes have enough counts"
        warnings.append(f"{few}: library sizes and weights rest on few.")
    if reads is not None and len(np.unique(reads)) > 1:
        found = associate_measured(contrast, np.ones(len(reads), dtype=bool), reads)
        if found.strength:
            warnings.append(
                f"{table.trait} is confounded with the number of reads in this cohort ({found.text}"
                "): effects of sequencing depth and trait are hard to distinguish."
            )
    record = {
        "weights": "none" if sizes is None else "voom",
        "span": None if sizes is None else SPAN,
        "unweighted": list(_UNWEIGHTED),
        "reads": {} if reads is None else _range(reads),
        **{name: counts[name] for name in _FROM_PREPROCESSING},
    }
    return Libraries(sizes, record, tuple(warnings))


def _sizes(counts: Counts, samples: list[str], blocks: Blocks) -> tuple[Floats | None, str]:
    if blocks.record.get("design") == "averaged":
        return None, "repeated samples were averaged, and a mean is not a library"
    sizes = _known(counts["effective_library_sizes"], samples)
    if sizes is None:
        return None, "the record of the cohort lacks library sizes; run preprocess again"
    expression = np.asarray(blocks.table.expression, dtype=np.float64)[blocks.contrast.rows]
    if np.isnan(expression).any() or (counts_of(expression, sizes) < BELOW_ZERO).any():
        return None, (
            "the linked table does not hold the log2 counts per million that were recorded; run "
            "preprocess again"
        )
    return sizes, ""


def _known(values: Mapping[str, Any], samples: list[str]) -> Floats | None:
    found = [values.get(sample) for sample in samples]
    numbers = [v for v in found if isinstance(v, int | float) and v > 0]
    return np.array(numbers, dtype=np.float64) if len(numbers) == len(samples) else None


def _range(reads: Floats) -> dict[str, int]:
    return {
        "lowest": int(reads.min()),
        "median": int(np.median(reads)),
        "highest": int(reads.max()),
    }


def _tiny(reads: Floats | None) -> list[str]:
    number = 0 if reads is None else int((reads < TINY_LIBRARY).sum())
    if not number:
        return []
    which = "library compared holds" if number == 1 else "libraries compared hold"
    return [f"{number} {which} fewer than {TINY_LIBRARY:,} reads: its weak genes are mostly noise."]


def summarise_libraries(record: Mapping[str, Any]) -> str:
    """Return one sentence on a record of `Libraries`, in which the colon ends what it is."""
    weights = "voom weights" if record.get("weights") == "voom" else "no weights"
    if record.get("test") == "DESeq2":
        weights = "tested by DESeq2's negative binomial regression"
    parts = [f"{record['filtered']:,} of {record['genes']:,} genes left out for few counts"]
    if reads := record.get("reads"):
        low, high = (reads[name] / 1e6 for name in ("lowest", "highest"))
        parts.append(f"{low:.1f} to {high:.1f} million reads a library")
    return f"RNA-seq counts, {record['normalisation']}, {weights}: {'; '.join(parts)}."


def few_reads(expression: Floats, sizes: Floats) -> Flags:
    """Return which genes have fewer than 15 reads in all samples compared, shape (p,)."""
    return np.asarray(counts_of(expression, sizes).sum(axis=0) < FEWEST_READS - 1e-6)
