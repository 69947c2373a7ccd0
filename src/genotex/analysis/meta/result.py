"""The result over all cohorts of a problem, and its two files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from genotex.analysis.meta.gene_table import COHORT_COLUMNS, META_COLUMNS
from genotex.analysis.result_pair import (
    foreign_content,
    read_content,
    read_table,
    remove_with_csv,
    write_pair,
)
from genotex.errors import AnalysisError
from genotex.layout import OutputFolder

__all__ = ["CohortFacts", "MetaResult", "read_meta", "remove_meta", "write_meta"]

TOP_GENES = 5
"""Genes named in a summary line."""


@dataclass(frozen=True)
class CohortFacts:
    """One cohort among those that were combined.

    Attributes
    ----------
    name
        Its id.
    groups
        Who was compared, in words.
    samples
        Samples compared.
    tested, significant
        Genes tested in it, and significant by themselves.
    covariates
        Adjusted for.
    controls
        Kind of the controls, ``healthy`` or ``all``; empty for a measured trait.
    warnings
        What a reader should know of it.
    paired
        Characteristic whose pairs were compared within themselves; empty when there are none.
    surrogates
        Surrogate variables that its ranking is adjusted for.
    counts
        How RNA-seq counts were treated, in a few words; empty where expression was not counted.
    """

    name: str
    groups: str
    samples: int
    tested: int
    significant: int
    covariates: tuple[str, ...] = ()
    controls: str = ""
    warnings: tuple[str, ...] = ()
    paired: str = ""
    surrogates: int = 0
    counts: str = ""


@dataclass(frozen=True, eq=False)
class MetaResult:
    """The meta-analysis of the cohorts of a problem.

    Attributes
    ----------
    trait
        Trait folder name.
    condition
        Condition of the problem.
    genes
        Genes that at least two cohorts tested, by p-value, with the columns of `META_COLUMNS`.
    effects
        The same genes in the same order: `COHORT_COLUMNS` of each cohort behind its name.
    cohorts
        The cohorts that were combined, the largest first.
    left_out
        Every other cohort of the trait and why it is not among them.
    warnings
        What a reader should know before trusting the list.
    method
        ``kind`` (binary or continuous), ``effect``, ``scale``, ``combination``, ``ranking``,
        ``between_cohorts`` (distribution over genes of the standard deviation of true effects
        between cohorts: ``tau``, ``weights`` and the root mean square ``sd``), ``replication``,
        ``replication_cohorts``, ``differing_share`` (of genes with p of Cochran's Q below 0.05),
        ``options``, ``versions`` and counts.
    """

    trait: str
    condition: str | None
    genes: pl.DataFrame
    effects: pl.DataFrame
    cohorts: tuple[CohortFacts, ...]
    left_out: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    method: Mapping[str, Any] = field(default_factory=dict)

    @property
    def significant(self) -> pl.DataFrame:
        """The genes that are significant over all cohorts, by p-value."""
        return self.genes.filter(pl.col("Significant"))

    @property
    def replicating(self) -> pl.DataFrame:
        """The genes that replicate (by the rule in ``method["replication"]``), by p-value."""
        return self.genes.filter(pl.col("Replicates"))

    @property
    def binary(self) -> bool:
        """Whether groups were compared; else the trait is measured."""
        return bool(self.method["kind"] == "binary")

    @property
    def random(self) -> bool:
        """Whether any gene has random effects: three cohorts or more tested it."""
        return self.genes["Random p"].null_count() < self.genes.height

    def summary(self) -> dict[str, Any]:
        """Return one line for a table."""
        return {
            "trait": self.trait,
            "condition": self.condition,
            "solved": True,
            "cohorts": " ".join(cohort.name for cohort in self.cohorts),
            "counted": " ".join(cohort.name for cohort in self.cohorts if cohort.counts),
            "samples": sum(cohort.samples for cohort in self.cohorts),
            "genes": self.genes.height,
            "significant": self.significant.height,
            "replicating": self.replicating.height,
            "top genes": " ".join(self.genes["Variable"].head(TOP_GENES).to_list()),
            "left out": dict(self.left_out),
            "warnings": list(self.warnings),
        }


def write_meta(output: OutputFolder, result: MetaResult) -> Path:
    """Write the significant genes and the record as JSON and all genes as Parquet, as a pair.

    The JSON has the digest of the Parquet file. An earlier JSON goes before the new Parquet file
    comes, so that a crash leaves no pair that does not match; an earlier report over all cohorts
    is removed, for its numbers are gone.

    Returns
    -------
    Path
        The JSON file.
    """
    path = output.meta_genes(result.trait, result.condition)
    table = output.meta_table(result.trait, result.condition)
    content: dict[str, Any] = {
        "significant_genes": result.significant.drop("Significant").to_dict(as_series=False),
        "problem": {"trait": result.trait, "condition": result.condition},
        "cohorts": [asdict(cohort) for cohort in result.cohorts],
        "left_out": dict(result.left_out),
        "method": dict(result.method),
        "warnings": list(result.warnings),
    }
    genes = pl.concat([result.genes, result.effects.drop("Variable")], how="horizontal")
    return write_pair(
        path,
        table,
        content,
        genes,
        lambda _: remove_with_csv(output.meta_report(result.trait, result.condition)),
    )


def remove_meta(output: OutputFolder, trait: str, condition: str | None) -> None:
    """Remove a result over all cohorts that no longer holds, and its report page and CSV."""
    output.meta_genes(trait, condition).unlink(missing_ok=True)
    output.meta_table(trait, condition).unlink(missing_ok=True)
    remove_with_csv(output.meta_report(trait, condition))


def read_meta(output: OutputFolder, trait: str, condition: str | None) -> MetaResult:
    """Read what `write_meta` wrote.

    Raises
    ------
    AnalysisError
        If the cohorts of the problem have not been combined.
    FormatError
        If one of the two files is not what it should be, or they are not a pair.
    """
    path = output.meta_genes(trait, condition)
    if not path.is_file():
        msg = (
            f"{trait}, condition {condition}: no result over all cohorts at {path}; run analyze "
            "with all cohorts first"
        )
        raise AnalysisError(msg)
    content = read_content(path)
    with foreign_content(path):
        cohorts = tuple(_facts(record) for record in content["cohorts"])
        table = output.meta_table(trait, condition)
        wanted = [*META_COLUMNS, *_cohort_columns(cohorts)]
        frame = read_table(table, content["all_genes"]["sha256"], wanted)
        return MetaResult(
            trait=content["problem"]["trait"],
            condition=content["problem"]["condition"],
            genes=frame.select(META_COLUMNS.keys()),
            effects=frame.select("Variable", *_cohort_columns(cohorts)),
            cohorts=cohorts,
            left_out=content["left_out"],
            warnings=tuple(content["warnings"]),
            method=content["method"],
        )


def _facts(record: Mapping[str, Any]) -> CohortFacts:
    lists = {name: tuple(record[name]) for name in ("covariates", "warnings")}
    return CohortFacts(**{**record, **lists})


def _cohort_columns(cohorts: tuple[CohortFacts, ...]) -> list[str]:
    return [f"{cohort.name} {name}" for cohort in cohorts for name in COHORT_COLUMNS]
