"""Checks of single samples: sex, pools, outliers, degraded RNA, another tissue or species."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.analysis.samples.facts import donor_of
from genotex.analysis.samples.profiles import TO_MAD
from genotex.arrays import Floats
from genotex.words import counted, share_of

FEW_PEOPLE = 0.33
"""Variance of a pool of three or more people over that of the others."""
BELOW_ANY = 0.7
"""... and over that of the next lowest sample."""
POOL_GENES = 500
"""Genes that vary most, in which the variance is that of people and not of the measurement."""
BEHIND, CLEAR = 1.6, 4.0
"""log2 units (three times, as Affymetrix has it) and robust standard deviations by which the 5'
ends of a degraded sample are further behind than usual."""
NOT_DETECTED = 0.2
"""Share of the genes of the upper half that a sample of this species expresses as background."""
_MANY = 0.5
CALLED = 0.5
"""Share of the recorded samples that must be clearly of one sex for more than a note."""


def check_sex(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Compare recorded sex with XIST and the genes of the Y chromosome."""
    cohort.need(4)
    record = cohort.quality.record.get("sex", {})
    if not record.get("judged"):
        raise NotJudged(str(record.get("why_not", "too few genes")))
    predicted, recorded = record["predicted"], record["recorded"]
    if recorded is None:
        found = record["with_trait"]
        if found is not None and found["p"] < 0.05:
            yield AuditFinding(
                "note",
                "Sex is not recorded, and by expression it is associated with the groups "
                f"({found['test']}, p = {found['p']:.2g}).",
                "Look for the recorded sex, and adjust for it.",
            )
        return
    stated = dict(zip(predicted, recorded, strict=True))
    wrong = tuple(record["mismatches"])
    compared = sum(s is not None and predicted[name] != "unclear" for name, s in stated.items())
    if not wrong:
        return
    if len(wrong) > _MANY * compared:
        yield AuditFinding(
            "serious",
            f"Recorded sex disagrees with expression in {len(wrong)} of {compared} samples: the "
            "codes are the wrong way round, or the rows of the sample sheet were moved.",
            "Compare the sample sheet with its source.",
            wrong,
        )
        return
    # Where few are clearly of one sex, as with XIST alone, two modes may be no sexes.
    clear = compared >= CALLED * sum(s is not None for s in stated.values())
    shown = [f"{s} (recorded {stated[s]}, by expression {predicted[s]})" for s in wrong]
    yield AuditFinding(
        "warning" if clear else "note",
        f"Recorded sex disagrees with XIST and the Y genes in {len(wrong)} of {compared} samples: "
        f"{named(shown)}.",
        "These samples may be swapped, and their groups with them: ask the authors, or leave "
        "them out.",
        wrong,
    )


def check_pools(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples that are mixtures of several people: by their texts, and by low variance."""
    cohort.need(4)
    pools = cohort.quality.record.get("pools", [])
    named_ones = tuple(pool["sample"] for pool in pools)
    if named_ones:
        every = len(named_ones) == len(cohort.samples)
        yield AuditFinding(
            "note" if every else "warning",
            f"{counted(len(named_ones), 'sample')} of {len(cohort.samples)} are described as pools "
            f"of several people ('{pools[0]['text']}'): {named(named_ones)}.",
            "Leave them out: they repeat people and vary less than people do.",
            named_ones,
        )
    if len(cohort.samples) < 8:
        return
    share = _own_variance(cohort)
    order = np.sort(share)
    for i in np.flatnonzero(share <= FEW_PEOPLE):
        higher = order[order > share[i] * 1.0001]
        if len(order) - len(higher) > 2 or share[i] > BELOW_ANY * higher[0]:
            continue
        sample = cohort.samples[i]
        if sample not in named_ones:
            yield AuditFinding(
                "warning",
                f"{sample} has {share[i]:.2f} of the variance of the others, as a pool of several "
                "people has.",
                "Ask whether it is a pool, or an average of other samples.",
                (sample,),
            )


def _own_variance(cohort: AuditedCohort) -> Floats:
    """Return each sample's variance within its group over the usual one."""
    left = cohort.rest
    varies = np.argsort(-left.std(axis=0), kind="stable")[:POOL_GENES]
    leverage = (np.linalg.qr(cohort.groups)[0] ** 2).sum(axis=1)
    # Judged without a sample its residual is larger by 1 / (1 - leverage).
    own = (left[:, varies] ** 2).mean(axis=1) / np.maximum(1 - leverage, 0.05)
    found: Floats = own / max(float(np.median(own)), 1e-12)
    return found


def check_degradation(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples whose 5' ends fall behind the 3' ends, by the control probes of the array."""
    ends = cohort.measured("RNA degradation")
    if not ends:
        why = "the table has no probes of the 3' and 5' ends of ACTB and GAPDH"
        raise NotJudged(why)
    behind = np.nanmean(list(ends.values()), axis=0)
    usual = float(np.nanmedian(behind))
    spread = TO_MAD * float(np.nanmedian(np.abs(behind - usual)))
    odd = (behind >= usual + BEHIND) & (behind >= usual + CLEAR * spread)
    samples = tuple(np.array(cohort.samples, dtype=object)[odd].tolist())
    if samples:
        shown = [f"{name} ({value:.1f})" for name, value in zip(samples, behind[odd], strict=True)]
        yield AuditFinding(
            "warning",
            f"The RNA of {counted(len(samples), 'sample')} is degraded: the 5' ends of "
            f"{' and '.join(ends)} fall further behind the 3' ends than the {usual:.1f} log2 units "
            f"of the usual sample: {named(shown)}.",
            "Leave them out, or adjust for the degradation of all samples.",
            samples,
        )


def check_outliers(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples that differ from the others as a whole, with the likely reason."""
    cohort.need(6)
    detected = _not_detected(cohort)
    outliers = dict(cohort.quality.outliers)
    for sample, share in detected.items():
        reasons = (f"{share:.0%} of the well expressed genes are as low as background",)
        outliers[sample] = (*outliers.get(sample, ()), *reasons)
    by_reason: dict[str, list[str]] = {}
    for sample, why in outliers.items():
        by_reason.setdefault(_reason(why, few_genes=sample in detected), []).append(sample)
    for do, samples in by_reason.items():
        shown = [f"{sample} ({'; '.join(outliers[sample])})" for sample in samples]
        differ = "differs" if len(samples) == 1 else "differ"
        yield AuditFinding(
            "warning",
            f"{counted(len(samples), 'sample')} {differ} from the others as a whole: "
            f"{named(shown)}.",
            do,
            tuple(samples),
        )


def _reason(why: tuple[str, ...], *, few_genes: bool) -> str:
    text = " ".join(why)
    if few_genes:
        return "Another species, a failed array or RNA that was degraded: leave it out."
    if "compressed" in text or "differently" in text:
        return "Degraded or little RNA, or another normalisation: look at it, or leave it out."
    return "Another tissue, a contamination or a failed array: look at it, or leave it out."


def _not_detected(cohort: AuditedCohort) -> dict[str, float]:
    """Return samples in which well expressed genes are at the level of background."""
    if not cohort.has_levels:
        return {}
    values = cohort.filled
    mean = values.mean(axis=0)
    upper = mean >= np.median(mean)
    share = (values[:, upper] <= cohort.spans[1][:, None]).mean(axis=1)
    usual = float(np.median(share))
    spread = TO_MAD * float(np.median(np.abs(share - usual)))
    odd = (share >= NOT_DETECTED) & (share >= usual + max(4 * spread, 0.1))
    return {cohort.samples[i]: float(share[i]) for i in np.flatnonzero(odd)}


def check_together(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find blocks of samples that are alike, as several samples of each person are."""
    cohort.need(8)
    blocks = cohort.quality.repeats
    if blocks.finding and blocks.record.get("samples_in_blocks", 0) > 4:
        members = [name for some in blocks.record["members"].values() for name in some]
        known = all(donor_of(cohort.facts, name) for name in members)
        yield AuditFinding(
            "note" if known else "warning",
            f"{share_of(len(members), len(cohort.samples))} of the samples are in blocks of "
            f"similar ones. {blocks.finding.partition(': ')[2]}",
            "Donors are recorded: --pair takes the samples of one together."
            if known
            else "--pair detected takes each block as one person; an id of the donors is safer.",
            tuple(members),
        )
