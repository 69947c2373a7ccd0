"""Series without gene expression, which must be rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from genotex.simulate.geo_files import Measurement, PlatformText

__all__ = ["EMPTY_TABLE", "METHYLATION", "NO_EXPRESSION", "Unfit"]

METHYLATION, EMPTY_TABLE = "methylation", "empty table"
"""Names for plans to use in place of an array."""

_METHYLATION_PROBES = 500


@dataclass(frozen=True, eq=False)
class Unfit:
    """A measurement other than gene expression."""

    scale: str  # of the values, as in `CohortTruth`
    measured: Measurement  # the values
    platform: PlatformText  # where they come from


def _methylation(rng: np.random.Generator, samples: int) -> Unfit:
    probes, accession = _METHYLATION_PROBES, "GPL900003"
    ids = tuple(f"cg{number:08d}" for number in sorted(rng.choice(10**8, probes, replace=False)))
    measured = Measurement(
        series_type="Methylation profiling by genome tiling array",
        platform=accession,
        molecule="genomic DNA",
        label="Cy5 and Cy3",
        value="average beta",
        processing="beta values, background corrected",
        ids=ids,
        values=rng.beta(0.8, 0.8, (probes, samples)).round(4),
        decimals=4,
    )
    platform = PlatformText(
        accession=accession,
        title="Simulated HumanMethylation beadchip",
        manufacturer="Simulated",
        technology="oligonucleotide beads",
        table=pl.DataFrame({"ID": ids, "CHR": [str(1 + i % 22) for i in range(probes)]}),
        columns={"ID": "CpG locus", "CHR": "Chromosome"},
    )
    return Unfit("beta", measured, platform)


def _empty_table(rng: np.random.Generator, samples: int) -> Unfit:
    """Return a sequencing series, whose counts its submitters keep elsewhere."""
    accession = "GPL900004"
    measured = Measurement(
        series_type="Expression profiling by high throughput sequencing",
        platform=accession,
        molecule="total RNA",
        label="none",
        value="",
        processing="reads were counted per gene; the counts are in a supplementary file",
        ids=(),
        values=np.empty((0, samples)),
        decimals=0,
    )
    platform = PlatformText(
        accession=accession,
        title="Simulated sequencer (Homo sapiens)",
        manufacturer="Simulated",
        technology="high-throughput sequencing",
        table=pl.DataFrame(),
        columns={},
    )
    return Unfit("none", measured, platform)


NO_EXPRESSION: Mapping[str, Callable[[np.random.Generator, int], Unfit]] = {
    METHYLATION: _methylation,
    EMPTY_TABLE: _empty_table,
}
