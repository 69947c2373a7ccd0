"""The result of an analysis, and what the report derives from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from genotex.analysis import AnalysisResult
from genotex.analysis.results.columns import GENE_TABLE, complete_genes
from genotex.arrays import Floats
from genotex.features import feature_of_column
from genotex.figures import NO_EXPRESSION, ChangeWords, GeneResult, SampleMarks
from genotex.formats import LinkedTable
from genotex.reports.problem.design_words import DesignWords
from genotex.reports.problem.records import ConditionModel, MixedModel, Pairs, Selection, Surrogates
from genotex.words import counted, listed, readable

TraitKind = Literal["binary", "continuous", "factor"]


@dataclass(frozen=True, eq=False)
class Findings:
    """A result, the kind of its trait, and the ids of the samples compared."""

    result: AnalysisResult
    trait_kind: TraitKind
    tested: tuple[str, ...]

    @classmethod
    def from_result(cls, result: AnalysisResult, table: LinkedTable) -> Findings:
        """Return the findings in the linked table of the cohort that was analysed."""
        contrast = result.method.get("contrast", {})
        return cls(
            result,
            _trait_kind(contrast, table),
            _tested(contrast, table, result.method.get("formula")),
        )

    def record(self, step: str) -> Mapping[str, Any]:
        """Return what the method records of a step; empty where it records nothing."""
        found: Mapping[str, Any] = self.result.method.get(step) or {}
        return found

    @property
    def selects(self) -> bool:
        """Whether genes were selected without any test."""
        return not self.result.procedure.tests_genes

    @property
    def column_kind(self) -> str:
        """The variant of the gene columns (`GeneColumn.of`)."""
        if self.design is not None:
            return self.design.column_kind
        return "selected" if self.selects else self.trait_kind

    @property
    def change_label(self) -> str:
        """What a gene's change is, as short as a header."""
        kind = self.trait_kind if self.design is None else self.design.column_kind
        return next(c for c in GENE_TABLE if c.name == "Coefficient").of(kind).label

    @property
    def cut(self) -> float:
        """A gene is significant when its q-value is below."""
        return float(self.record("options").get("q_cut", 0.05))

    @property
    def minimal_change(self) -> float:
        """A significant gene's absolute change is at least this."""
        return float(self.record("options").get("min_effect", 0.0))

    @property
    def covariates(self) -> tuple[str, ...]:
        """Adjusted for; older results record the columns of the design alone."""
        method = self.result.method
        return tuple(method.get("adjusted_for", method.get("covariates", ())))

    @property
    def covariate_names(self) -> list[str]:
        """The covariates in words; a predicted condition is called so."""
        if self.design is not None:
            return [re.sub(r"^C\(`?(.+?)`?\)$", r"\1", name) for name in self.covariates]
        predicted = None if self.predicted is None else self.predicted.condition
        return [
            f"the prediction of {readable(name)}" if name == predicted else readable(name).lower()
            for name in self.covariates
        ]

    @property
    def left_out(self) -> tuple[str, ...]:
        """Genes that were not tested, by reason."""
        filtered = self.record("filter")
        return tuple(
            f"{counted(int(filtered[key]), 'gene')} {why}"
            for key, why in (
                ("low", "low in nearly all samples"),
                ("constant", "constant"),
                ("too few values", "with too few values"),
                ("outlying count", "with an outlying count"),
                ("regressor", "from which the condition was predicted"),
            )
            if filtered.get(key)
        )

    @cached_property
    def design(self) -> DesignWords | None:
        """The words of a design of the user's own; None where a trait was analysed."""
        return DesignWords.from_method(self.result.method)

    @property
    def subject(self) -> str:
        """What the tests are about, in words."""
        if self.design is None:
            return "the trait"
        return listed(self.design.variables) or "the contrast"

    @property
    def leads_by_chance(self) -> bool:
        """Whether significant genes are in the order of their chance of replication."""
        asked = self.record("options").get("rank_by") == "replication"
        genes = self.result.genes
        known = "Replication" in genes.columns and genes["Replication"].null_count() < genes.height
        return asked and known and not self.mixed_ranks and bool(genes["Significant"].any())

    @cached_property
    def surrogates(self) -> Surrogates | None:
        """Surrogate variables; None without a record of them."""
        return Surrogates.from_record(self.record("hidden"))

    @cached_property
    def mixed(self) -> MixedModel | None:
        """The mixed model; None when it was not fitted."""
        ranks = self.result.method.get("ranked_by") == "Mixed p"
        return MixedModel.from_record(self.record("mixed"), ranks=ranks)

    @cached_property
    def pairs(self) -> Pairs | None:
        """Samples of the same person; None without pairing."""
        return Pairs.from_record(self.record("pair"), binary=self.trait_kind == "binary")

    @cached_property
    def predicted(self) -> ConditionModel | None:
        """The condition of a two-step problem."""
        return ConditionModel.from_record(self.record("two_step"), tested=self.selects)

    @cached_property
    def selection(self) -> Selection | None:
        """How genes were selected, by the procedure ``benchmark``."""
        if not self.selects:
            return None
        return Selection.from_record(self.result.method, self.result.cv_performance)

    @property
    def mixed_ranks(self) -> bool:
        """Whether the mixed model ranks, and not the moderated t."""
        return self.mixed is not None and self.mixed.ranks

    @property
    def interaction_sentence(self) -> str:
        """For how many genes the change depends on the condition; empty without a test of it."""
        found = self.record("interaction")
        if not found or self.result.condition is None:
            return ""
        condition = readable(self.result.condition).lower()
        if not found["tested"]:
            return f"Whether the change depends on {condition} could not be tested."
        if not found["significant"]:
            return f"No gene passes q < {self.cut:g} for an interaction with {condition}."
        many = counted(int(found["significant"]), "gene")
        return f"The change depends on {condition} for {many} (interaction, q < {self.cut:g})."

    @property
    def interaction_meaning(self) -> str:
        """What the interaction coefficient is."""
        change = "log2 fold change" if self.trait_kind == "binary" else "change per SD"
        if self.result.condition == "Gender":
            return f"{change} in men minus that in women"
        unit = "year of age" if self.result.condition == "Age" else "unit of the condition"
        return f"by how much the {change} rises with each {unit}"


def _trait_kind(contrast: Mapping[str, Any], table: LinkedTable) -> TraitKind:
    kind = contrast.get("kind")
    if kind in ("binary", "continuous", "factor"):
        known_kind: TraitKind = kind
        return known_kind
    known = table.trait_values[np.isfinite(table.trait_values)]
    return "continuous" if len(np.unique(known)) > 2 else "binary"


def _tested(
    contrast: Mapping[str, Any], table: LinkedTable, design: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    if design:
        return tuple(design["samples"])
    groups = contrast.get("samples", {})
    named = {s for group, members in groups.items() if group != "left_out" for s in members}
    known = zip(table.samples, np.isfinite(table.trait_values), strict=True)
    return tuple(s for s, has_trait in known if (s in named if named else has_trait))


def ranked(findings: Findings) -> pl.DataFrame:
    """Return the genes in the order of the ranking, with its p- and q-value as `rank_p`, `rank_q`.

    Significant genes by the chance of replication unless p-values were asked for; else by the
    p-value that ranks, or by the size of the coefficient where there are only those. NaN becomes
    null; genes without a rank come last; ties are broken by symbol.
    """
    test = "Mixed " if findings.mixed_ranks else ""
    full = complete_genes(findings.result.genes, findings.column_kind).with_columns(
        pl.col("Significant").fill_null(False), rank_p=f"{test}p", rank_q=f"{test}q"
    )
    if findings.selects:
        order = ["Absolute Coefficient", "Variable"]
        return full.sort(order, descending=[True, False], nulls_last=True)
    first = pl.col("Significant") & pl.lit(findings.leads_by_chance)
    lead = pl.when(first).then(-pl.col("Replication")).otherwise(0.0)
    return full.sort([lead, "rank_p", "Variable"], nulls_last=True)


def gene_result(
    findings: Findings, genes: pl.DataFrame, table: LinkedTable | None, marks: SampleMarks | None
) -> GeneResult:
    """Return what figures need of the ranked `genes`, and of the cohort."""
    return GeneResult.of(
        genes,
        change_words(findings),
        findings.cut,
        selects=findings.selects,
        marks=marks,
        table=NO_EXPRESSION if table is None else (table.genes, table.expression),
        least=findings.minimal_change,
        bars=() if table is None else covariate_bars(table.samples, table.covariates),
    )


def covariate_bars(
    samples: Sequence[str], covariates: Mapping[str, Floats]
) -> tuple[SampleMarks, ...]:
    """Return the bars of a heatmap that show the covariates of the samples, such as their sex."""
    bars = []
    for column, values in covariates.items():
        feature = feature_of_column(column)
        texts: list[Any] = [float(value) if np.isfinite(value) else None for value in values]
        if feature is not None and feature.levels:
            texts = [None if value is None else feature.cell(value) for value in texts]
        name = column if feature is None else feature.name
        if any(value is not None for value in texts):
            bars.append(SampleMarks.annotating(samples, texts, name))
    return tuple(bars)


def change_words(findings: Findings) -> ChangeWords:
    """Return what a gene's change is, and what it means to both sides of zero."""
    trait = readable(findings.result.trait)
    of_p = " of the mixed model" if findings.mixed_ranks else ""
    if findings.selects:
        binary = findings.trait_kind == "binary"
        return ChangeWords("coefficient", "being a case" if binary else f"a higher {trait}")
    if findings.design is not None:
        return ChangeWords(findings.design.effect, *findings.design.sides, of_p)
    if findings.trait_kind == "binary":
        axis = "log2 fold change, case against control"
        return ChangeWords(axis, "higher in cases", "lower in cases", of_p)
    if findings.trait_kind == "factor":
        axis = f"largest difference between two levels of {trait}, log2"
        return ChangeWords(axis, "higher in the upper of the two levels", "lower", of_p)
    axis = f"change per standard deviation of {trait}"
    return ChangeWords(axis, "rising with the trait", "falling with it", of_p)
