"""What the control probes of an array tell of each sample: no disease can move them.

Affymetrix adds bacterial transcripts to every sample: those of Bacillus (dap, lys, phe, thr, trp)
to the RNA, those of E. coli and P1 (bioB, bioC, bioD, cre) to the hybridisation; ERCC and Agilent's
E1A spike-ins are of the same kind. RNA is copied from its 3' end, so the probes at the 5' end of a
long transcript fall behind in degraded samples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.formats import Measures

_SPIKES = re.compile(
    r"AFFX-(?:r2-)?(?:Ec-|P1-|Bs-)?(bio[BCD]|cre|dap|lys|phe|thr|trp)"
    r"|(ERCC)-\d{5}|\(\+\)(E1A)_r60",
    re.IGNORECASE,
)
_END = re.compile(
    r"AFFX-(?P<gene>HSAC07|HUMGAPDH)/\w+?_(?P<end>[35])_(?:\w_)?(?:at|st)$", re.IGNORECASE
)
_GENES = {"HSAC07": "ACTB", "HUMGAPDH": "GAPDH"}


def measure_controls(
    ids: Sequence[str], values: NDArray[np.floating], samples: Sequence[str]
) -> Measures:
    """Return the mean level of each spike-in, and how far 5' ends fall behind 3' ends, by sample.

    `values`: log2 values, shape (rows, samples). Empty without control probes.
    """
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        if found := _SPIKES.match(name):
            spike = next(text for text in found.groups() if text)
            rows.setdefault(spike.lower(), []).append(row)
        elif found := _END.match(name):
            rows.setdefault(f"{_GENES[found['gene'].upper()]} {found['end']}", []).append(row)
    levels = {name: values[some].mean(axis=0) for name, some in rows.items()}
    ends = {gene: [levels.pop(f"{gene} {end}", None) for end in "35"] for gene in _GENES.values()}
    behind = {
        gene: last - first
        for gene, (last, first) in ends.items()
        if last is not None and first is not None
    }
    kinds = {"spike-in probes": levels, "RNA degradation": behind}
    known = {kind: _by_sample(measured, samples) for kind, measured in kinds.items()}
    return {kind: measured for kind, measured in known.items() if measured}


def _by_sample(measured: dict[str, Floats], samples: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        name: dict(zip(samples, np.round(values, 5).tolist(), strict=True))
        for name, values in measured.items()
        if np.isfinite(values).all() and np.ptp(values) > 0
    }
