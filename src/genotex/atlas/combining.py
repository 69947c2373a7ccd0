"""The cohorts of a trait and condition, combined gene by gene over all folders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtri

from genotex.analysis.meta import combine_results
from genotex.analysis.results.result import AnalysisResult
from genotex.atlas.overlaps import sample_keys
from genotex.atlas.result_files import TESTS_GENES
from genotex.atlas.store import COMBINED
from genotex.errors import AnalysisError, UsageError
from genotex.problems import Problem

_HALF = float(ndtri(0.975))


@dataclass(frozen=True)
class ResultGroup:
    """The results of a trait and condition that have standard errors, by id."""

    trait: str
    condition: str | None
    members: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _CombinedGroup:
    """What was combined, and all genes with the columns of `COMBINED`."""

    facts: dict[str, Any]
    genes: pl.DataFrame


def group_results(results: pl.DataFrame) -> list[ResultGroup]:
    """Return the groups of results that can be combined."""
    usable = results.filter(
        pl.col("procedure").is_in(TESTS_GENES) & pl.col("kind").is_in(["binary", "continuous"])
    )
    groups = usable.group_by("trait", "condition", maintain_order=True).agg("result")
    return [ResultGroup(t, c, tuple(sorted(ids))) for t, c, ids in groups.iter_rows()]


def combine_group(
    group: ResultGroup, results: Mapping[int, Mapping[str, Any]], genes: Mapping[int, pl.DataFrame]
) -> _CombinedGroup:
    """Combine results by id; a single cohort, or one that fits no other, is kept as it is."""
    ids = sorted(group.members, key=lambda i: -int(results[i]["samples"]))
    named = _names(ids, results)
    facts: dict[str, Any] = {
        "trait": group.trait,
        "condition": group.condition,
        "members": list(group.members),
        "left_out": "{}",
        "warnings": [],
    }
    frame = pl.DataFrame(schema=COMBINED)
    used = ids[:1]
    if len(ids) > 1:
        given = {named[i]: _as_result(group, results[i], genes[i]) for i in ids}
        try:
            # Names of conditions are checked elsewhere; the trait names the result.
            found = combine_results(Problem(group.trait), given)
        except (AnalysisError, UsageError) as error:
            facts["left_out"] = json.dumps({named[i]: str(error) for i in ids[1:]})
        else:
            facts["left_out"] = json.dumps(dict(found.left_out))
            facts["warnings"] = list(found.warnings)
            kept = {cohort.name for cohort in found.cohorts}
            used = [i for i in ids if named[i] in kept]
            frame = _of_several(found.genes)
    both = _with_rest(frame, [genes[i] for i in used])
    facts |= {
        "kind": results[used[0]]["kind"],
        "cohorts": [named[i] for i in used],
        "used": used,
        "samples": sum(int(results[i]["samples"]) for i in used),
        "genes": both.height,
        "significant": int(both["significant"].sum()),
    }
    return _CombinedGroup(facts, both)


def _with_rest(combined: pl.DataFrame, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add the genes that only one cohort tested, and rank all."""
    single = _of_one(tables, whole=len(tables) == 1)
    rest = single.join(combined.select("gene"), on="gene", how="anti")
    rank = pl.col("log10_p").rank("min").cast(pl.UInt32).alias("rank")
    return pl.concat([combined, rest]).with_columns(rank)


def _names(ids: Sequence[int], results: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """Return names of cohorts, made different where two folders have the same one."""
    names: dict[int, str] = {}
    for i in ids:
        cohort = name = str(results[i]["cohort"]) or "cohort"
        number = 2
        while name in names.values():
            name, number = f"{cohort} ({number})", number + 1
        names[i] = name
    return names


def _as_result(group: ResultGroup, row: Mapping[str, Any], genes: pl.DataFrame) -> AnalysisResult:
    """Return a result with what the meta-analysis needs of it."""
    keys = sample_keys(row["cohort"], row["sample_ids"] or ())
    keys = keys or [f"{row['result']}:{i}" for i in range(int(row["samples"]))]
    table = genes.select(
        pl.col("gene").alias("Variable"),
        pl.col("effect").cast(pl.Float64).alias("Coefficient"),
        pl.col("standardised").cast(pl.Float64).alias("Standardised Effect"),
        pl.col("standardised_error").cast(pl.Float64).alias("Standardised Error"),
        _power("log10_p").alias("p"),
        _power("log10_q").alias("q"),
        pl.col("samples").cast(pl.Int64).alias("Samples"),
        pl.col("significant").alias("Significant"),
    )
    method = {
        "contrast": {"kind": row["kind"], "text": row["comparison"], "samples": {"all": keys}},
        "pair": {"design": "paired", "key": "pairs"} if row["paired"] else {},
        "adjusted_for": row["adjusted_for"] or (),
    }
    return AnalysisResult(group.trait, None, table, {}, method, cohort=row["cohort"])


def _power(name: str) -> pl.Expr:
    return pl.lit(10.0).pow(pl.col(name).cast(pl.Float64))


def _of_several(genes: pl.DataFrame) -> pl.DataFrame:
    columns = {
        "gene": "Variable",
        "cohorts": "Cohorts",
        "samples": "Samples",
        "effect": "Combined Effect",
        "error": "Combined Error",
        "ci_low": "CI Lower",
        "ci_high": "CI Upper",
        "z": "z",
        "i2": "I2",
        "agreeing": "Agreeing",
        "significant": "Significant",
    }
    chosen = [pl.col(theirs).alias(ours) for ours, theirs in columns.items()]
    logs = [pl.col(name).log10().clip(-324.0).alias(f"log10_{name}") for name in ("p", "q")]
    return _shaped(genes.select(*chosen, *logs))


def _of_one(tables: Sequence[pl.DataFrame], *, whole: bool) -> pl.DataFrame:
    """Return the genes that were tested, with the values of their only or largest cohort."""
    # Standardised effects only: single cohorts and combined ones are then on one scale.
    tested = [table.filter(pl.col("log10_p").is_not_null()) for table in tables]
    rows = pl.concat(tested).unique("gene", keep="first", maintain_order=True)
    p = 10.0 ** rows["log10_p"].cast(pl.Float64).to_numpy()
    size = -ndtri(np.maximum(p, np.finfo(float).tiny) / 2)
    q = pl.col("log10_q") if whole else pl.lit(None)
    return _shaped(
        rows.select(
            "gene",
            pl.lit(1).alias("cohorts"),
            "samples",
            pl.col("standardised").alias("effect"),
            pl.col("standardised_error").alias("error"),
            (pl.col("standardised") - _HALF * pl.col("standardised_error")).alias("ci_low"),
            (pl.col("standardised") + _HALF * pl.col("standardised_error")).alias("ci_high"),
            (pl.col("effect").sign() * pl.Series("z", size)).alias("z"),
            "log10_p",
            q.alias("log10_q"),
            pl.lit(None).alias("i2"),
            pl.lit(1).alias("agreeing"),
            (pl.col("significant") if whole else pl.lit(False)).alias("significant"),
        )
    )


def _shaped(frame: pl.DataFrame) -> pl.DataFrame:
    missing = [pl.lit(None).alias(n) for n in COMBINED if n not in (*frame.columns, "group")]
    frame = frame.with_columns(*missing, pl.lit(0).alias("group"))
    return frame.select([pl.col(name).cast(kind) for name, kind in COMBINED.items()])
