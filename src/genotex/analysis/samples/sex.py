"""The sex of each sample as its expression shows it, against the sex that is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.hidden.confounding import Association, associate_covariate
from genotex.analysis.samples.profiles import Profiles, rounded
from genotex.arrays import Floats
from genotex.records import as_json

Sex = Literal["female", "male", "unclear"]

Y_GENES = ("RPS4Y1", "DDX3Y", "KDM5D", "EIF1AY", "UTY", "USP9Y", "TXLNGY")
"""Genes of the male-specific region of Y that are expressed in most tissues."""
SEX_GENES = frozenset(
    {*Y_GENES, "XIST", "TSIX", "RPS4Y2", "ZFY", "NLGN4Y", "PRKY", "TMSB4Y", "BCORP1", "TTTY10"}
    | {"TTTY14", "TTTY15"}
)
"""Genes that are expressed by one sex only: they identify the sex, not the person."""
STRONGEST = 4
"""Y genes that are averaged: those that vary most, since some probes measure nothing."""
FEWEST_SAMPLES = 4
STEP = {"XIST": 1.5, "Y": 1.0}
"""log2 units at least between the two modes."""
SEPARATION = 4.0
"""... and standard deviations within the modes: halves of one mode are 2.6 apart."""
SMALLEST_SD = 0.1
OPPOSITE = 0.75
"""Share of the samples clear in both whose XIST and Y genes must point to the same sex."""
CLEAR = 0.4
"""How far beyond the middle, with the modes at 1, a sample must be to be called."""
MANY = 0.5
"""With more than this share of mismatches the coding is inverted, not the samples swapped."""
FEWEST_OF_TRAIT = 4
SHOWN = 6


@dataclass(frozen=True, eq=False)
class _SexCheck:
    """Predicted and recorded sex of the samples."""

    why_not: str  # Why sex cannot be judged; empty where it can
    # ``female``, ``male`` or ``unclear`` for each sample; empty where it cannot be judged
    predicted: tuple[Sex, ...]
    # (n,): how far each sample is from the middle between the sexes, which are 1 away from it: the
    # smaller of XIST and Y genes
    clearness: Floats
    # (n,): log2 expression of XIST and the mean of the Y genes; NaN where not measured
    xist: Floats
    y: Floats
    recorded: tuple[str | None, ...]  # ``female``, ``male`` or None for each sample
    # Places of samples whose clear prediction is not what is recorded
    mismatches: tuple[int, ...] = ()
    # How predicted sex is associated with the trait where none is recorded
    with_trait: Association | None = None
    warnings: tuple[str, ...] = ()
    genes: tuple[str, ...] = field(default=())  # The genes used
    unclear: dict[int, str] = field(default_factory=dict)  # Place of an unclear sample -> why

    def record(self, samples: Sequence[str]) -> dict[str, Any]:
        """Return the check as plain JSON values, samples by id."""
        if self.why_not:
            return {"judged": False, "why_not": self.why_not, "genes": list(self.genes)}
        found = self.with_trait
        return {
            "judged": True,
            "why_not": "",
            "genes": list(self.genes),
            "predicted": dict(zip(samples, self.predicted, strict=True)),
            "clearness": dict(zip(samples, rounded(self.clearness, 3), strict=True)),
            "xist": rounded(self.xist, 3),
            "y": rounded(self.y, 3),
            "recorded": None if not any(self.recorded) else list(self.recorded),
            "mismatches": [samples[i] for i in self.mismatches],
            "unclear": {samples[i]: why for i, why in self.unclear.items()},
            "with_trait": None if found is None else as_json(found, "test", "p", "measure", "size"),
        }


def check_sex(profiles: Profiles) -> _SexCheck:
    """Predict the sex of each sample from XIST and Y genes and compare it with Gender."""
    # Both must have two modes that are clearly apart, and must point to the same sex in nearly all
    # samples; otherwise sex is not judged: a cohort of one sex, a tumour that lost Y, a platform
    # without these genes. A sample is called where both agree on it (with only one of them on the
    # platform, by that one, and only where the gene is on: genes are lost, not gained). As in
    # Toker, Feng and Pavlidis (2016), who found mislabelled samples in half of the public data
    # sets.
    # References: Toker L, Feng M, Pavlidis P (2016) F1000Research 5:2103.
    n = len(profiles.contrast.rows)
    recorded = _recorded(profiles)
    xist, y, genes = _measures(profiles)
    why_not, on_x, on_y = _judge(xist, y)
    if why_not:
        return _SexCheck(why_not, (), np.full(n, np.nan), xist, y, recorded, genes=genes)
    predicted, clearness = _call(on_x, on_y, n)
    mismatches = tuple(
        i
        for i, (found, stated) in enumerate(zip(predicted, recorded, strict=True))
        if stated is not None and found not in ("unclear", stated)
    )
    association = None
    if not any(recorded):
        association = _with_trait(predicted, profiles.contrast)
    return _SexCheck(
        "",
        predicted,
        clearness,
        xist,
        y,
        recorded,
        mismatches,
        association,
        (
            *_mismatch_warning(profiles.samples, predicted, recorded, mismatches),
            *_trait_warning(association, profiles.table.trait),
        ),
        genes,
        _unclear(on_x, on_y, predicted),
    )


def _recorded(profiles: Profiles) -> tuple[str | None, ...]:
    gender = profiles.table.covariates.get("Gender")
    if gender is None:
        return (None,) * len(profiles.contrast.rows)
    names = {0.0: "female", 1.0: "male"}
    return tuple(names.get(float(value)) for value in gender[profiles.contrast.rows])


def _measures(profiles: Profiles) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Return XIST, the mean of the strongest Y genes, and the names of the genes used."""
    wanted = {"XIST", *Y_GENES}
    place = {gene: i for i, gene in enumerate(profiles.table.genes) if gene in wanted}
    there = [gene for gene in ("XIST", *Y_GENES) if gene in place]
    nothing = np.full(len(profiles.contrast.rows), np.nan)
    if not there:
        return nothing, nothing, ()
    values = dict(zip(there, profiles.take(np.array([place[g] for g in there])).T, strict=True))
    xist = values.pop("XIST", nothing)
    kept = [gene for gene, found in values.items() if np.isfinite(found).mean() > 0.5]
    kept = sorted(kept, key=lambda gene: -float(np.nanvar(values[gene])))[:STRONGEST]
    used = tuple(gene for gene in there if gene in kept or gene == "XIST")
    if not kept:
        return xist, nothing, used
    table = np.array([values[gene] for gene in kept])
    # A gap counts as the gene's mean, so that it moves no sample.
    means = np.nanmean(table, axis=1, keepdims=True)
    return xist, np.where(np.isnan(table), means, table).mean(axis=0), used


def _judge(xist: Floats, y: Floats) -> tuple[str, Floats | None, Floats | None]:
    """Return why sex cannot be judged, or the modes of XIST and of the Y genes."""
    has_x, has_y = np.isfinite(xist).sum(), np.isfinite(y).sum()
    if max(has_x, has_y) < FEWEST_SAMPLES:
        what = "the table has neither XIST nor genes of the Y chromosome"
        few = f"{len(xist)} samples are too few"
        return (few if len(xist) < FEWEST_SAMPLES else what), None, None
    on_x, on_y = _two_modes(xist, STEP["XIST"]), _two_modes(y, STEP["Y"])
    if on_x is None and on_y is None:
        return "the samples do not fall into two sexes by XIST and Y genes", None, None
    if has_x and has_y:
        if on_x is None:
            return "Y genes vary without XIST, as where tumours lost Y", None, None
        if on_y is None:
            return "XIST varies without the Y genes", None, None
        both = (np.abs(on_x) > CLEAR) & (np.abs(on_y) > CLEAR)
        opposite = np.sign(on_x) != np.sign(on_y)
        if not both.any() or opposite[both].mean() < OPPOSITE:
            return "XIST and Y genes do not point to the same sex", None, None
    return "", on_x, on_y


def _two_modes(values: Floats, step: float) -> Floats | None:
    """Return the positions between two modes, at -1 and 1; None unless they are clearly two."""
    # Values are split where the variance within is least.
    known = np.isfinite(values)
    ordered = np.sort(values[known])
    n = len(ordered)
    if n < FEWEST_SAMPLES:
        return None
    sums, squares = np.cumsum(ordered), np.cumsum(ordered**2)
    low = np.arange(1, n)
    high = n - low
    within = squares[-1] - sums[:-1] ** 2 / low - (sums[-1] - sums[:-1]) ** 2 / high
    cut = int(np.argmin(within))
    means = sums[cut] / low[cut], (sums[-1] - sums[cut]) / high[cut]
    sd = max(float(np.sqrt(max(within[cut], 0.0) / max(n - 2, 1))), SMALLEST_SD)
    apart = float(means[1] - means[0])
    if apart < step or apart / sd < SEPARATION:
        return None
    middle = (means[0] + means[1]) / 2
    return np.asarray((values - middle) / (apart / 2))


def _call(on_x: Floats | None, on_y: Floats | None, n: int) -> tuple[tuple[Sex, ...], Floats]:
    """Return the sex of each sample and how clear it is."""
    unknown = np.full(n, np.nan)
    x = unknown if on_x is None else on_x
    y = unknown if on_y is None else on_y
    if on_y is None:
        female, male = x > CLEAR, np.zeros(n, dtype=bool)
    elif on_x is None:
        female, male = np.zeros(n, dtype=bool), y > CLEAR
    else:
        female, male = (x > CLEAR) & (y < -CLEAR), (y > CLEAR) & (x < -CLEAR)
    clearness = np.fmin(np.abs(x), np.abs(y))
    called: list[Sex] = [
        "female" if f else "male" if m else "unclear" for f, m in zip(female, male, strict=True)
    ]
    return tuple(called), clearness


def _unclear(on_x: Floats | None, on_y: Floats | None, predicted: Sequence[Sex]) -> dict[int, str]:
    """Return why samples are called neither female nor male."""
    found = {}
    for i in (i for i, sex in enumerate(predicted) if sex == "unclear"):
        if on_x is None or on_y is None:
            found[i] = "the Y genes are low" if on_x is None else "XIST is low"
            continue
        x, y = on_x[i], on_y[i]
        if max(x, y) < -CLEAR:
            found[i] = "neither XIST nor the Y genes, as where a tumour lost X or Y"
        elif min(x, y) > -CLEAR:
            found[i] = "both XIST and the Y genes, as in a mixture of a woman and a man"
        else:
            found[i] = "between the sexes"
    return found


def _with_trait(predicted: Sequence[Sex], contrast: Contrast) -> Association | None:
    known = np.array([sex != "unclear" for sex in predicted], dtype=bool)
    male = np.array([sex == "male" for sex in predicted], dtype=np.float64)[known]
    trait = contrast.values[known]
    if known.sum() < FEWEST_OF_TRAIT or len(np.unique(male)) < 2 or len(np.unique(trait)) < 2:
        return None
    return associate_covariate(trait, male, contrast.binary)


def _mismatch_warning(
    samples: Sequence[str],
    predicted: Sequence[Sex],
    recorded: Sequence[str | None],
    mismatches: Sequence[int],
) -> list[str]:
    compared = sum(
        stated is not None and found != "unclear"
        for found, stated in zip(predicted, recorded, strict=True)
    )
    if not mismatches:
        return []
    if len(mismatches) > MANY * compared:
        return [
            f"Recorded sex disagrees with expression in {len(mismatches)} of {compared} samples: "
            "female and male are probably coded the wrong way round."
        ]
    named = [
        f"{samples[i]} (recorded {recorded[i]}, by expression {predicted[i]})"
        for i in mismatches[:SHOWN]
    ]
    more = len(mismatches) - SHOWN
    names = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    return [
        f"Recorded sex disagrees with XIST and Y genes in {len(mismatches)} of {compared} samples: "
        f"{names}. Swapped or mislabelled? Then trait and age may belong to another sample, too."
    ]


def _trait_warning(found: Association | None, trait: str) -> list[str]:
    if found is None or not found.strength:
        return []
    return [
        f"Sex is not recorded, but sex by expression is associated with {trait} in this cohort "
        f"({found.text}): its effects are hard to distinguish from those of {trait}, and it is not "
        "adjusted for."
    ]
