"""The gene sets of a problem on disk: a record as JSON, and the table of all sets as CSV."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import polars as pl

import genotex
from genotex.analysis.gene_sets.effects import read_trait_effects
from genotex.analysis.gene_sets.enrichment import SET_COLUMNS, Enrichment, enrich, why_not_tested
from genotex.analysis.gene_sets.lists import read_sets
from genotex.analysis.results.result import digest, read_result, write_pair
from genotex.analysis.results.stored import SealedFile, StoredPair, read_pair
from genotex.errors import FormatError
from genotex.formats import inert_frame, original_frame, sha256
from genotex.layout import OutputFolder
from genotex.options import EnrichmentOptions, SetCollection
from genotex.outside import read_document
from genotex.problems import Problem
from genotex.records import Shape

PACKAGES = ("gseapy", "numpy", "scipy", "polars")
_AGAIN = "run enrich again"


def enrich_problem(
    output: OutputFolder,
    problem: Problem,
    gene_sets: Path | SetCollection = "go-bp",
    options: EnrichmentOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> Enrichment:
    """Test gene sets for a problem that has been analysed, and write the answer.

    `gene_sets`: a GMT file, or a packaged collection. The comparison behind the result is set up
    again from the output folder (`read_trait_effects`), unless sets of such a result can only be
    described (`why_not_tested`). `progress` is called with each step, in words.

    Raises
    ------
    AnalysisError
        If the problem has not been analysed, its comparison cannot be set up again, or no set can
        be tested.
    FormatError
        If a file is not what it should be.
    """
    step = progress or (lambda _: None)
    step("reading the gene sets and the analysis")
    sets, source = read_sets(gene_sets)
    result = read_result(output, problem.trait, problem.condition)
    belongs_to = _result_digest(output, problem.trait, problem.condition)
    effects = None if why_not_tested(result) else read_trait_effects(output, result)
    step(f"testing {len(sets):,} gene sets")
    enrichment = enrich(result, sets, options, effects)
    enrichment.record["gene_sets"] |= source
    enrichment.record["versions"] = _versions()
    write_enrichment(output, enrichment, belongs_to)
    return enrichment


def write_enrichment(output: OutputFolder, enrichment: Enrichment, belongs_to: str) -> Path:
    """Write the record as JSON and the table of sets as CSV, as a pair, and return the first.

    `belongs_to` is the SHA-256 of the table of all genes that the sets were tested on.
    """
    trait, condition = enrichment.trait, enrichment.condition
    path = output.enrichment(trait, condition)
    content: dict[str, Any] = {
        "problem": {"trait": trait, "condition": condition},
        "versions": _versions(),
        **enrichment.record,
        "all_genes": {"file": output.all_genes(trait, condition).name, "sha256": belongs_to},
    }
    write = inert_frame(enrichment.sets).write_csv
    return write_pair(path, path.with_suffix(".csv"), content, write, name="table")


def read_enrichment(output: OutputFolder, trait: str, condition: str | None) -> Enrichment | None:
    """Read what `write_enrichment` wrote; None if there is none, or it is of an earlier result.

    Raises
    ------
    FormatError
        If one of the two files is not what it should be, they are not a pair, or an earlier
        version of genotex wrote them.
    """
    path = output.enrichment(trait, condition)
    if not path.is_file():
        return None
    content = read_pair(_StoredSets, path, trait, condition, _AGAIN)
    if content["all_genes"]["sha256"] != _result_digest(output, trait, condition):
        return None
    if "tests" not in content:
        msg = "these gene sets were tested by an earlier version of genotex, in another way"
        raise FormatError(msg, path=path, hint=_AGAIN)
    sets = _read_table(path.with_suffix(".csv"), content["table"]["sha256"])
    left_out = ("problem", "all_genes", "table")
    record = {key: value for key, value in content.items() if key not in left_out}
    problem = content["problem"]
    return Enrichment(problem["trait"], problem["condition"], sets, record)


@dataclass(frozen=True)
class _StoredSets(StoredPair):
    """The record of gene sets; `tests` is missing in those of earlier versions."""

    table: Annotated[dict[str, Any], Shape(SealedFile)]
    tests: dict[str, Any] | None = None
    gene_sets: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    significant: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _read_table(path: Path, seal: str) -> pl.DataFrame:
    try:
        content = read_document(path, "gene_sets")
        if digest(content) != seal:
            msg = "is not the table that its record was written with (digests differ)"
            raise FormatError(msg, path=path, hint=_AGAIN)
        return original_frame(pl.read_csv(content, schema=SET_COLUMNS))
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"the table of gene sets cannot be read: {error}"
        raise FormatError(msg, path=path, hint=_AGAIN) from error


def _result_digest(output: OutputFolder, trait: str, condition: str | None) -> str:
    path = output.all_genes(trait, condition)
    return sha256(path) if path.is_file() else ""


def _versions() -> dict[str, str | None]:
    return {"genotex": genotex.__version__, **{name: _version(name) for name in PACKAGES}}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
