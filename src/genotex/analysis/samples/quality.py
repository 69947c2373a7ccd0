"""Checks of the samples before any gene is tested: outliers, copies, pools, sex, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from genotex.analysis.designs.contrast import Contrast, choose_contrast
from genotex.analysis.samples.blocks import SampleBlocks, find_blocks, no_blocks
from genotex.analysis.samples.facts import SampleFacts
from genotex.analysis.samples.profiles import (
    FEWEST_GENES,
    SMALL_GROUP,
    NearlyIdentical,
    Outliers,
    Profiles,
    find_nearly_identical,
    find_outliers,
    rounded,
    tissues_of,
)
from genotex.analysis.samples.sex import check_sex
from genotex.formats import LinkedTable, Role, names_pool
from genotex.options import Controls

SampleTexts = Mapping[str, Mapping[str, str | None]]
"""Kind of text (``title``, ``source_name``, ...) -> sample id -> text."""

SHOWN = 6
SMALLER, LARGER = 0.6, 1.5
"""A pool of two people has half their variance; one of other people or tissues is far away."""


@dataclass(frozen=True, eq=False)
class SampleQuality:
    """What the checks of the samples found."""

    # Sample id -> why it differs from the others as a whole, as phrases
    outliers: dict[str, tuple[str, ...]]
    repeats: SampleBlocks  # Samples that seem to come from one person
    record: dict[str, Any]  # Plain JSON for ``method["quality"]``; see docs/result-files.md
    warnings: tuple[str, ...] = ()
    # Of repeats, dropped where donors are recorded or samples are paired
    block_warnings: tuple[str, ...] = ()

    @property
    def detected_blocks(self) -> dict[str, str]:
        """Sample id -> block of samples that seem to come from one person; see `SampleBlocks`."""
        return self.repeats.blocks

    @property
    def why_no_blocks(self) -> str:
        """Why repeated people could not be detected; empty where they could."""
        return str(self.repeats.record.get("why_not", ""))

    def with_known_donors(self) -> SampleQuality:
        """Return the same without the warning of repeated people, who are known."""
        return replace(self, block_warnings=())

    def with_blocks_used(self) -> SampleQuality:
        """Return the same with a warning that does not take samples as independent."""
        return replace(self, block_warnings=(self.repeats.finding,))


def check_samples(
    table: LinkedTable,
    contrast: Contrast,
    facts: SampleFacts | None = None,
    texts: SampleTexts | None = None,
) -> SampleQuality:
    """Check the samples of a contrast, by expression, characteristics and titles."""
    samples = tuple(table.samples[i] for i in contrast.rows)
    profiles = Profiles(table, contrast, tissues_of(facts or {}, samples))
    pools = named_pools(samples, facts or {}, texts or {})
    if int(np.isfinite(profiles.means).sum()) < FEWEST_GENES:
        note = f"fewer than {FEWEST_GENES} genes, too few to check samples by"
        record = {"judged": False, "note": note, "samples": len(samples), "pools": list(pools)}
        warnings = tuple(_pool_warning(pools, {}, len(samples)))
        return SampleQuality({}, no_blocks(note), record, warnings)
    outliers = find_outliers(profiles)
    copies = find_nearly_identical(profiles)
    pooled_variance = _pool_variance(profiles, pools)
    sex = check_sex(profiles)
    blocks = find_blocks(profiles)
    by_id = {samples[i]: reasons for i, reasons in outliers.reasons.items()}
    record = {
        **_record(profiles, outliers, copies),
        "pools": [
            {"sample": sample, "text": text, "variance": pooled_variance.get(sample)}
            for sample, text in pools.items()
        ],
        "sex": sex.record(samples),
        "blocks": blocks.record,
        "detected_blocks": blocks.blocks,
    }
    warnings = (
        *_outlier_warning(by_id),
        *_copy_warnings(copies, profiles),
        *_pool_warning(pools, pooled_variance, len(samples)),
        *sex.warnings,
    )
    return SampleQuality(by_id, blocks, record, warnings, blocks.warnings)


def _record(
    profiles: Profiles, outliers: Outliers, copies: Sequence[NearlyIdentical]
) -> dict[str, Any]:
    """Return what is reported of outliers and copies."""
    samples = profiles.samples
    return {
        "judged": True,
        "note": outliers.note,
        "samples": len(samples),
        "by_sample": _by_sample(profiles, outliers),
        "outliers": [
            {"sample": samples[i], "group": profiles.groups[i], "reasons": list(reasons)}
            for i, reasons in outliers.reasons.items()
        ],
        "excluded": [],
        "near_identical": [
            {"samples": [samples[i] for i in found.places], "share": round(found.share, 4)}
            for found in copies
        ],
    }


def leave_out_outliers(
    table: LinkedTable, roles: Mapping[str, Role], contrast: Contrast, quality: SampleQuality
) -> tuple[LinkedTable, Contrast, SampleQuality]:
    """Leave the outlying samples out of the table and choose the contrast again."""
    if not quality.outliers:
        return table, contrast, quality
    kept = np.array([sample not in quality.outliers for sample in table.samples], dtype=bool)
    smaller = table.take(kept)
    controls: Controls = "healthy" if contrast.controls == "healthy" else "all"
    left = choose_contrast(smaller, roles, controls, contrast.unaffected)
    return smaller, left, with_outliers_left_out(quality, len(kept))


def with_outliers_left_out(quality: SampleQuality, samples: int) -> SampleQuality:
    """Return the checks of so many samples with a warning that the outliers were left out."""
    names = _listed([_with_reasons(*item) for item in quality.outliers.items()], samples)
    count = len(quality.outliers)
    were = "1 sample was" if count == 1 else f"{count} samples were"
    warning = f"{were} left out as {'an outlier' if count == 1 else 'outliers'}: {names}."
    return replace(
        quality,
        record={**quality.record, "excluded": list(quality.outliers)},
        warnings=(warning, *quality.warnings[1:]),
    )


def named_pools(samples: Sequence[str], facts: SampleFacts, texts: SampleTexts) -> dict[str, str]:
    """Return the samples whose texts name a pool of people, with the text."""
    found: dict[str, str] = {}
    for recorded in (*texts.values(), *facts.values()):
        for sample in samples:
            text = recorded.get(sample) or ""
            if sample not in found and names_pool(text):
                found[sample] = text
    return {sample: found[sample] for sample in samples if sample in found}


def _pool_variance(profiles: Profiles, pools: Mapping[str, str]) -> dict[str, float | None]:
    """Return the variance of each pool over that of the samples it is compared with."""
    samples = profiles.samples
    pooled = np.array([sample in pools for sample in samples], dtype=bool)
    if not pooled.any() or (~pooled).sum() < SMALL_GROUP:
        return {}
    found: dict[str, float | None] = {}
    for i in np.flatnonzero(pooled):
        others = np.flatnonzero(profiles.peers[i] & ~pooled)
        if len(others) < SMALL_GROUP:
            others = np.flatnonzero(~pooled)
        among = profiles.distances[np.ix_(others, others)]
        usual = float(np.nanmedian(among[~np.eye(len(others), dtype=bool)]))
        # A squared distance adds up two variances, one of them that of the usual sample.
        own = float(np.nanmedian(profiles.distances[i, others]))
        share = max(2 * own / usual - 1, 0.0) if usual > 0 else np.nan
        found[samples[i]] = round(share, 3) if np.isfinite(share) else None
    return found


def _by_sample(profiles: Profiles, outliers: Outliers) -> dict[str, Any]:
    """Return the measures of all samples, aligned, for the figure."""
    return {
        "sample": list(profiles.samples),
        "group": list(profiles.groups),
        "distance": rounded(outliers.distance, 4),
        "range": rounded(outliers.range, 4),
        "distribution": rounded(outliers.distribution, 4),
    }


def _listed(items: Sequence[str], most: int = SHOWN) -> str:
    rest = len(items) - most
    return "; ".join(items[:most]) + (f"; and {rest} more" if rest > 0 else "")


def _with_reasons(sample: str, reasons: Sequence[str]) -> str:
    return f"{sample} ({', '.join(reasons)})"


def _outlier_warning(outliers: Mapping[str, Sequence[str]]) -> list[str]:
    if not outliers:
        return []
    count = len(outliers)
    differs = "1 sample differs" if count == 1 else f"{count} samples differ"
    names = _listed([_with_reasons(*item) for item in outliers.items()])
    them = "it" if count == 1 else "them"
    return [
        f"{differs} from the others as a whole: {names}. Inspect {them}; --exclude-outliers leaves "
        f"{them} out."
    ]


def _copy_warnings(copies: Sequence[NearlyIdentical], profiles: Profiles) -> list[str]:
    if not copies:
        return []
    samples, groups = profiles.samples, profiles.groups
    if len(copies[0].places) == len(samples):
        return ["All samples are identical: there is nothing to compare."]
    alike = [[samples[i] for i in found.places] for found in copies]
    names = _listed([f"{', '.join(some[:-1])} and {some[-1]}" for some in alike])
    across = any(len({groups[i] for i in found.places}) > 1 for found in copies)
    mislabelled = (
        " One of them is a case and one a control, so one is mislabelled." if across else ""
    )
    return [
        f"Samples that are nearly identical: {names}: the same array twice, or the same RNA on two "
        f"arrays. They count as independent, so p-values may be too small.{mislabelled}"
    ]


def _pool_warning(
    pools: Mapping[str, str], variance: Mapping[str, float | None], samples: int
) -> list[str]:
    if not pools:
        return []
    text = next(iter(pools.values()))
    if len(pools) == samples:
        return [f"All samples are described as pools ('{text}'): pools are compared, not people."]
    known = [value for value in variance.values() if value is not None]
    shown = ""
    if known:
        share = float(np.median(known))
        whose = "Its" if len(known) == 1 else "Their"
        shown = f" {whose} variance is {share:.2f} of that of the others"
        shown += ", as expected of pools." if share <= SMALLER else "."
        if share >= LARGER:
            shown += " They are far from the others: perhaps other people, or another tissue."
    described = "is described as a pool" if len(pools) == 1 else "are described as pools"
    return [
        f"{len(pools)} of the {samples} samples {described} of several people: "
        f"{_listed(list(pools))} ('{text}').{shown} Pools repeat people who may be among the other "
        "samples and vary less than people do, so p-values may be too small; leave them out of the "
        "linked table."
    ]
