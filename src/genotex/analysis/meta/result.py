"""The result over all cohorts of a problem: its two files and its warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from scipy.special import bdtrc

from genotex.analysis.meta.gene_table import COHORT_COLUMNS, META_COLUMNS
from genotex.analysis.results.result import read_table, remove_with_csv, write_pair
from genotex.analysis.results.stored import StoredOptions, StoredPair, read_pair
from genotex.errors import AnalysisError
from genotex.layout import CohortName, OutputFolder
from genotex.records import Shape, TypedDict, checked

TOP_GENES = 5
"""Genes named in a summary line."""


@dataclass(frozen=True)
class CohortFacts:
    """One cohort among those that were combined."""

    name: CohortName  # Its id
    groups: str  # Who was compared, in words
    samples: int  # Samples compared
    tested: int  # Genes tested in it, and significant by themselves
    significant: int
    covariates: tuple[str, ...] = ()  # Adjusted for
    controls: str = ""  # Kind of the controls, ``healthy`` or ``all``; empty for a measured trait
    warnings: tuple[str, ...] = ()  # What a reader should know of it
    # Characteristic whose pairs were compared within themselves; empty when there are none
    paired: str = ""
    surrogates: int = 0  # Surrogate variables that its ranking is adjusted for
    # How RNA-seq counts were treated, in a few words; empty where expression was not counted
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
        Genes that at least two cohorts tested, in their order, with the columns of `META_COLUMNS`.
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
        """The genes that are significant over all cohorts, in order."""
        return self.genes.filter(pl.col("Significant"))

    @property
    def replicating(self) -> pl.DataFrame:
        """The genes that replicate (by the rule in ``method["replication"]``), in order."""
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

    The JSON, which is returned, has the digest of the Parquet file. An earlier JSON goes before the
    new Parquet file comes, so that a crash leaves no pair that does not match; an earlier report
    over all cohorts is removed, for its numbers are gone.
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
        genes.write_parquet,
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
    content = read_pair(_StoredMeta, path, trait, condition)
    cohorts = tuple(
        checked(CohortFacts, record, extra="forbid", path=path, place=f"cohorts[{i}]")
        for i, record in enumerate(content["cohorts"])
    )
    wanted = [*(META_COLUMNS.keys() - NEWER), *_cohort_columns(cohorts)]
    table = output.meta_table(trait, condition)
    frame = read_table(table, content["all_genes"]["sha256"], wanted)
    missing = [name for name in META_COLUMNS if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None, META_COLUMNS[name]).alias(name) for name in missing)
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


NEWER = frozenset({"Replication", "Samples to Settle"})
"""Columns that results of earlier versions lack."""


class _Method(TypedDict, total=False):
    """What is used of how cohorts were combined; all else in it is for people."""

    kind: str
    options: StoredOptions
    versions: dict[str, str | None]


@dataclass(frozen=True)
class _StoredMeta(StoredPair):
    """The JSON of a result over several cohorts."""

    method: Annotated[dict[str, Any], Shape(_Method)]
    warnings: tuple[str, ...]
    cohorts: list[dict[str, Any]]
    left_out: dict[str, str]


def _cohort_columns(cohorts: tuple[CohortFacts, ...]) -> list[str]:
    return [f"{cohort.name} {name}" for cohort in cohorts for name in COHORT_COLUMNS]


SMALL = 20
"""Below so many samples, the standard error of Hedges' g limits how small a p-value can be."""

DIFFERING_P = 0.05
"""Cohorts differ on a gene when the p-value of Cochran's Q is below."""

DIFFERING_SHARE = 0.10
"""Cohorts differ as a whole when they do on more than this share of the genes: twice of chance."""

_SURELY = 0.001
"""So rarely would independent genes without any difference give as large a share."""


def differing_share(genes: pl.DataFrame) -> float:
    """Return the share of genes on which cohorts differ: p of Cochran's Q below `DIFFERING_P`."""
    # Where cohorts share one effect on each gene it is about `DIFFERING_P`; genes that go together
    # make it scatter around that.
    return genes.filter(pl.col("Q p") < DIFFERING_P).height / genes.height


def cohorts_differ(genes: pl.DataFrame) -> bool:
    """Return whether cohorts differ clearly more than chance, over the genes as a whole."""
    # They do when they differ on more than `DIFFERING_SHARE` of the genes, and on more than chance
    # would give in one of 1,000 studies (binomial test), which matters when genes are few.
    differing = genes.filter(pl.col("Q p") < DIFFERING_P).height
    by_chance = bdtrc(differing - 1, genes.height, DIFFERING_P)
    return differing_share(genes) > DIFFERING_SHARE and bool(by_chance < _SURELY)


def cohort_warnings(
    facts: Sequence[CohortFacts], genes: pl.DataFrame, *, kind: str, min_effect: float
) -> tuple[str, ...]:
    """Return what to know of the cohorts that were combined, the gravest first."""
    return (
        *_spread(genes),
        *_controls(facts),
        *_covariates(facts),
        *_small(facts, kind),
        *_minimal(min_effect),
    )


def left_out_warnings(dropped: Mapping[str, str]) -> tuple[str, ...]:
    """Return one sentence for each cohort that was to be combined and is not."""
    return tuple(f"{name} was left out: {reason}." for name, reason in dropped.items())


def _spread(genes: pl.DataFrame) -> list[str]:
    if not cohorts_differ(genes):
        return []
    found = (
        f"The cohorts differ more than chance allows: on {100 * differing_share(genes):.0f} % of "
        f"the genes the p-value of Cochran's Q is below {DIFFERING_P:g}, where "
        f"{100 * DIFFERING_P:.0f} % are expected."
    )
    of_two = int(genes["Random p"].null_count())
    if of_two == genes.height:
        return [
            f"{found} p, q and replication allow for it; the combined effect and its 95 % interval "
            "do not: they describe the average of these two cohorts. Compare the intervals of the "
            "single cohorts."
        ]
    also = " (except where only two cohorts tested a gene)" if of_two else ""
    return [
        f"{found} p, q and replication allow for it, by what all genes show together; the 95 % "
        f"interval and the strict p (Random p in the result) by the gene alone{also}."
    ]


def _controls(facts: Sequence[CohortFacts]) -> list[str]:
    if len({fact.controls for fact in facts}) < 2:
        return []
    listed = "; ".join(f"{fact.name}: {fact.groups}" for fact in facts)
    return [
        f"The cohorts have different controls ({listed}), which alone can make a gene differ "
        "between them."
    ]


def _covariates(facts: Sequence[CohortFacts]) -> list[str]:
    if len({fact.covariates for fact in facts}) < 2:
        return []
    listed = "; ".join(f"{f.name}: {', '.join(f.covariates) or 'none'}" for f in facts)
    return [f"The cohorts are not adjusted for the same covariates ({listed}): not all have them."]


def _small(facts: Sequence[CohortFacts], kind: str) -> list[str]:
    names = [f"{fact.name} ({fact.samples})" for fact in facts if fact.samples < SMALL]
    if kind != "binary" or not names:
        return []
    return [
        f"Fewer than {SMALL} samples in {', '.join(names)}: the standard error of Hedges' g is "
        "then so wide for strong genes that interval and strict p are too cautious; p and q, "
        "from the p-values of the cohorts themselves, are not affected."
    ]


def _minimal(min_effect: float) -> list[str]:
    if not min_effect:
        return []
    return [
        "The smallest effect that was asked for holds in single cohorts only: the combined effect "
        "is standardised and tested against zero. p, q and replication use the cohorts' own "
        "p-values, which the smallest effect makes larger."
    ]
