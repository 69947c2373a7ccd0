"""Results in output folders: which there are, whether they changed, and what they hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis.meta import COHORT_COLUMNS, MetaResult, read_meta
from genotex.analysis.results.result import AnalysisResult, read_result
from genotex.analysis.results.stored import read_content
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence, find_evidence, sha256
from genotex.layout import OutputFolder
from genotex.procedure import Procedure

EFFECTS: dict[str, Any] = {
    "gene": pl.String,
    "result": pl.UInt32,
    "effect": pl.Float32,
    "error": pl.Float32,
    "standardised": pl.Float32,
    "standardised_error": pl.Float32,
    "log10_p": pl.Float32,
    "log10_q": pl.Float32,
    "samples": pl.UInt32,
    "rank": pl.UInt32,
    "status": pl.String,
    "significant": pl.Boolean,
}
"""Columns of the genes of a result; null where it has no such value."""

_RECORD = re.compile(r"(significant_genes|meta)_condition_(.+)\.json")
_SMALLEST_LOG = -324.0
"""Of a p-value that was rounded to zero: just below the smallest number."""


TESTS_GENES = tuple(str(procedure) for procedure in Procedure if procedure.tests_genes)
"""Procedures whose results have standard errors, and can be combined."""


@dataclass(frozen=True)
class ResultFile:
    """The record of a result, and the table of genes next to it."""

    output: OutputFolder
    trait: str
    condition: str | None
    combined: bool  # several cohorts, as `analyze --cohorts all` writes
    record: Path
    table: Path

    @property
    def name(self) -> str:
        """The record, relative to its folder."""
        return self.record.relative_to(self.output.root).as_posix()


@dataclass(frozen=True)
class Stamp:
    """By what a change of a result is noticed; the record holds the digest of the table."""

    sha256: str
    table_bytes: int | None = None
    table_time: int | None = None

    @classmethod
    def of(cls, file: ResultFile) -> Stamp:
        """Return the stamp of the files as they are now."""
        seal = sha256(file.record)
        if not file.table.is_file():
            return cls(seal)
        state = file.table.stat()
        return cls(seal, state.st_size, state.st_mtime_ns)

    def same(self, before: Stamp, file: ResultFile) -> bool:
        """Return whether nothing changed; a table of another time is compared by its digest."""
        if (self.sha256, self.table_bytes) != (before.sha256, before.table_bytes):
            return False
        if self.table_time == before.table_time:
            return True
        sealed = _part(read_content(file.record), "all_genes").get("sha256")
        return bool(sha256(file.table) == sealed)


@dataclass(frozen=True, eq=False)
class CohortEffects:
    """One cohort tested for one problem: facts, and all genes with the columns of `EFFECTS`."""

    trait: str
    condition: str | None
    cohort: str
    procedure: str
    origin: str  # `analysis`, `meta` or `list` (only the genes that an agent listed)
    kind: str  # of the contrast: binary, continuous or factor
    comparison: str
    samples: int
    genes: pl.DataFrame
    sample_ids: tuple[str, ...] = ()
    paired: bool = False
    platform: str | None = None
    tissue: str | None = None
    source: str | None = None
    adjusted_for: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def find_results(folder: Path) -> list[ResultFile]:
    """Return the results in an output folder, or in the output folders directly inside it."""
    if not folder.is_dir():
        msg = f"{folder} is not a folder; give output folders of solve, analyze, de or bench run"
        raise UsageError(msg)
    inside = sorted(path.parent for path in folder.glob("*/regress") if path.is_dir())
    outputs = [folder] if (folder / "regress").is_dir() else inside
    if not outputs:
        msg = f"{folder} holds no results (no regress/ in it); give output folders of genotex"
        raise UsageError(msg)
    return [file for output in outputs for file in _results_of(OutputFolder(output))]


def _results_of(output: OutputFolder) -> Iterator[ResultFile]:
    for record in sorted((output.root / "regress").glob("*/*.json")):
        match = _RECORD.fullmatch(record.name)
        if not match:
            continue
        trait, condition = record.parent.name, None if match[2] == "None" else match[2]
        combined = match[1] == "meta"
        place = output.meta_table if combined else output.all_genes
        yield ResultFile(output, trait, condition, combined, record, place(trait, condition))


def read_effects(file: ResultFile) -> list[CohortEffects]:
    """Read the cohorts of a result, each with all its genes."""
    if not file.combined:
        content = read_content(file.record)
        if "all_genes" not in content:
            return [_listed(file, content)]
        return [_analysed(file, read_result(file.output, file.trait, file.condition))]
    found = read_meta(file.output, file.trait, file.condition)
    main = None
    if file.output.significant_genes(file.trait, file.condition).is_file():
        own = read_content(file.output.significant_genes(file.trait, file.condition))
        main = _part(own, "cohort").get("id") if "all_genes" in own else None
    # The cohort that was analysed by itself has a table of its own, with more in it.
    names = [fact.name for fact in found.cohorts if fact.name != main]
    return [_combined(file, found, name) for name in names]


def _part(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field that is an object; empty where it is none."""
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def _analysed(file: ResultFile, result: AnalysisResult) -> CohortEffects:
    method = result.method
    contrast = method.get("contrast", {})
    groups = contrast.get("samples", {})
    ids = [s for name, members in groups.items() if name != "left_out" for s in members]
    start = "Mixed " if method.get("ranked_by") == "Mixed p" else ""
    selects = not result.procedure.tests_genes
    frame = _effects(
        result.genes,
        {
            "effect": "Coefficient",
            "error": "Standard Error",
            "standardised": "Standardised Effect",
            "standardised_error": "Standardised Error",
            "p": f"{start}p",
            "q": f"{start}q",
            "samples": "Samples",
            "status": "Status",
            "significant": "Significant",
        },
        rank_by="Absolute Coefficient" if selects else None,
    )
    return CohortEffects(
        trait=file.trait,
        condition=file.condition,
        cohort=result.cohort,
        procedure=str(result.procedure),
        origin="analysis",
        kind=str(contrast.get("kind", "")),
        comparison=str(contrast.get("text", "")),
        samples=len(ids),
        genes=frame,
        sample_ids=tuple(ids),
        paired=method.get("pair", {}).get("design") == "paired",
        adjusted_for=tuple(method.get("adjusted_for", ())),
        warnings=result.warnings,
        **_origin(file, result.cohort),
    )


def _combined(file: ResultFile, found: MetaResult, cohort: str) -> CohortEffects:
    """Return one of the cohorts that were combined; genes that only it tested are not recorded."""
    fact = next(fact for fact in found.cohorts if fact.name == cohort)
    short = {f"{cohort} {name}": name for name in COHORT_COLUMNS}
    table = found.effects.select("Variable", *short).rename(short).drop_nulls("Effect")
    if not found.binary:
        # The record has Fisher's z; a single cohort reports the partial correlation.
        r = pl.col("Effect").tanh()
        table = table.with_columns(Effect=r, Error=pl.col("Error") * (1 - r**2))
    table = table.with_columns(Samples=pl.lit(fact.samples), Status=pl.lit("tested"))
    frame = _effects(
        table,
        {
            "effect": "Coefficient",
            "standardised": "Effect",
            "standardised_error": "Error",
            "p": "p",
            "q": "q",
            "samples": "Samples",
            "status": "Status",
        },
    )
    cut = float(found.method.get("options", {}).get("q_cut", 0.05))
    evidence = find_evidence(file.output, file.trait, cohort)
    frame.with_columns(significant=pl.col("log10_q") < np.log10(cut))
    return CohortEffects(
        trait=file.trait,
        condition=file.condition,
        cohort=cohort,
        procedure=str(Procedure.SOUND),
        origin="meta",
        kind=str(found.method["kind"]),
        comparison=fact.groups,
        samples=fact.samples,
        genes=frame,
        # All of the cohort: a combined result does not record which were compared.
        sample_ids=() if evidence is None else tuple(evidence.roles),
        paired=bool(fact.paired),
        adjusted_for=fact.covariates,
        warnings=fact.warnings,
        **_origin(file, cohort),
    )


def _listed(file: ResultFile, content: Mapping[str, Any]) -> CohortEffects:
    """Return the genes that a foreign result lists, in the benchmark's format."""
    columns = content.get("significant_genes")
    if not isinstance(columns, dict) or not isinstance(columns.get("Variable"), list):
        msg = "lists no genes (significant_genes.Variable)"
        raise FormatError(msg, path=file.record)
    names = [str(name) for name in columns["Variable"]]
    numbers = {
        name: pl.Series(values, dtype=pl.Float64, strict=False)
        for name, values in columns.items()
        if name in ("Coefficient", "q") and isinstance(values, list) and len(values) == len(names)
    }
    table = pl.DataFrame({"Variable": names, **numbers}).with_columns(
        Status=pl.lit("listed"), Significant=pl.lit(True), Place=pl.len() - pl.int_range(pl.len())
    )
    wanted = {"effect": "Coefficient", "q": "q", "status": "Status", "significant": "Significant"}
    frame = _effects(table, wanted, rank_by="Place")
    name = str(_part(content, "cohort").get("id", ""))
    return CohortEffects(
        trait=file.trait,
        condition=file.condition,
        cohort=name,
        procedure="unknown",
        origin="list",
        kind="",
        comparison="",
        samples=0,
        genes=frame,
        **_origin(file, name),
    )


def _effects(
    table: pl.DataFrame, names: Mapping[str, str], rank_by: str | None = None
) -> pl.DataFrame:
    """Return the columns of `EFFECTS`; null where the table has no such column."""
    there = {ours: theirs for ours, theirs in names.items() if theirs in table.columns}
    frame = table.unique("Variable", keep="first", maintain_order=True).with_columns(
        [pl.col(theirs).alias(f"__{ours}") for ours, theirs in there.items()]
    )
    # Selected genes by the size of their coefficient, tested genes by p.
    order = (
        -pl.when(pl.col(rank_by) != 0).then(pl.col(rank_by))
        if rank_by is not None
        else pl.col("__p")
    )
    logs = [
        pl.col(f"__{name}").fill_nan(None).log10().clip(_SMALLEST_LOG).alias(f"__log10_{name}")
        for name in ("p", "q")
        if name in there
    ]
    frame = frame.with_columns(*logs, order.rank("min").alias("__rank"))
    kept = {"__gene": pl.col("Variable"), "__result": pl.lit(0)}
    columns = [
        (
            kept.get(f"__{name}", pl.col(f"__{name}"))
            if f"__{name}" in kept or f"__{name}" in frame.columns
            else pl.lit(None)
        )
        .cast(kind)
        .alias(name)
        for name, kind in EFFECTS.items()
    ]
    found = frame.select(columns)
    floats = [name for name, kind in EFFECTS.items() if kind == pl.Float32]
    return found.with_columns(pl.col(floats).fill_nan(None))


def _origin(file: ResultFile, cohort: str) -> dict[str, Any]:
    """Return platform, tissue and source of a cohort, where its record is there."""
    evidence = find_evidence(file.output, file.trait, cohort) if cohort else None
    if evidence is None:
        return {}
    return {
        "platform": evidence.series.get("platform") or None,
        "tissue": _tissue(evidence),
        "source": evidence.source or None,
    }


_TISSUE_KEYS = ("tissue", "tissue type", "cell type", "cell line", "organ")


def _tissue(evidence: Evidence) -> str | None:
    """Return what most samples state as tissue, or else as source name."""
    facts = {key.casefold(): values for key, values in evidence.sample_facts.items()}
    stated = [facts[key] for key in _TISSUE_KEYS if key in facts]
    stated.append(evidence.sample_texts.get("source_name", {}))
    for values in stated:
        texts = [text for text in values.values() if text]
        if not texts:
            continue
        # "synovium, control" and "synovium, arthritis" are of one tissue.
        starts = Counter(text.partition(",")[0].strip() for text in texts)
        return starts.most_common(1)[0][0] or None
    return None
