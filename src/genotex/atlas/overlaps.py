"""Samples and platforms that results have in common, which make them agree by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

_PUBLIC = re.compile(r"GSM\d+|TCGA-\w\w-\w{4}.*", re.IGNORECASE)
_MOST_NAMED = 5


def sample_keys(cohort: str, samples: Sequence[str]) -> list[str]:
    """Return names of samples that differ between cohorts unless the samples are the same."""
    return [s if _PUBLIC.fullmatch(s) else f"{cohort}:{s}" for s in samples]


def shared_samples(results: pl.DataFrame) -> pl.DataFrame:
    """Return ``result``, ``other``, ``shared``: pairs of results with samples in common."""
    ids, keys = [], []
    for result, cohort, samples in results.select("result", "cohort", "sample_ids").iter_rows():
        names = sample_keys(cohort, samples or ())
        keys += names
        ids += [result] * len(names)
    schema = {"result": pl.UInt32, "sample": pl.String}
    long = pl.DataFrame({"result": ids, "sample": keys}, schema=schema)
    pairs = long.join(long.rename({"result": "other"}), on="sample")
    pairs = pairs.filter(pl.col("result") != pl.col("other"))
    return pairs.group_by("result", "other").len("shared").sort("result", "other")


def overlap_notes(results: pl.DataFrame) -> list[str]:
    """Return in sentences what samples and platforms these results share."""
    notes = []
    named = {
        i: f"{trait.replace('_', ' ')} in {cohort or 'an unnamed cohort'}"
        for i, trait, cohort in results.select("result", "trait", "cohort").iter_rows()
    }
    pairs = shared_samples(results).filter(pl.col("result") < pl.col("other"))
    pairs = pairs.sort("shared", descending=True)
    shown = [f"{named[a]} and {named[b]} ({n})" for a, b, n in pairs.head(_MOST_NAMED).iter_rows()]
    if shown:
        more = f" and {pairs.height - len(shown):,} more pairs" if pairs.height > len(shown) else ""
        notes.append(
            f"Samples in common: {'; '.join(shown)}{more}. They are not independent support."
        )
    cohorts = results.unique("cohort")
    platforms = cohorts.drop_nulls("platform").group_by("platform").len().sort("len", "platform")
    for platform, number in platforms.reverse().filter(pl.col("len") > 1).head(2).iter_rows():
        notes.append(
            f"{number} of {cohorts.height} cohorts are from platform {platform}: what a platform "
            "does to certain genes is alike in them."
        )
    return notes
