"""The result of an analysis, and its two files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from genotex.analysis.designs.contrast import summarise_levels
from genotex.analysis.gene_tests.coefficients import rank_interactions
from genotex.analysis.gene_tests.libraries import summarise_libraries
from genotex.analysis.panel.selection import LEFT_OUT
from genotex.analysis.results.columns import GRADES, stored_types
from genotex.analysis.results.stored import AGAIN, StoredResult, read_pair
from genotex.errors import AnalysisError, FormatError
from genotex.formats import sha256, write_json
from genotex.io import atomic_write
from genotex.layout import OutputFolder
from genotex.outside import read_document, read_parquet
from genotex.procedure import Procedure
from genotex.words import counted


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()


def remove_with_csv(path: Path) -> None:
    """Remove a file and the CSV of the same name, if they exist."""
    path.unlink(missing_ok=True)
    path.with_suffix(".csv").unlink(missing_ok=True)


def write_pair(
    path: Path,
    table: Path,
    content: dict[str, Any],
    write: Callable[[BinaryIO], object],
    before: Callable[[str], None] = lambda _: None,
    *,
    name: str = "all_genes",
) -> Path:
    """Write a table and its JSON, which has name and digest of the table and is returned."""
    # An earlier JSON goes before the new table comes, so that a crash leaves no pair that does not
    # match. `before` is called with the digest, `name` is its field.
    # What cannot be written as JSON must fail before anything is removed.
    json.dumps(content, allow_nan=False)
    with atomic_write(table) as part:
        with part.open("wb") as handle:
            write(handle)
        seal = sha256(part)
        before(seal)
        path.unlink(missing_ok=True)
    write_json(path, {**content, name: {"file": table.name, "sha256": seal}})
    return path


def read_table(path: Path, seal: str, columns: Sequence[str]) -> pl.DataFrame:
    """Read the Parquet file, after its digest was compared."""
    try:
        content = read_document(path, "unpacked")
    except OSError as error:
        msg = f"the table of all genes cannot be read: {error}"
        raise FormatError(msg, path=path, hint=AGAIN) from error
    if digest(content) != seal:
        msg = "is not the table that its result was written with (digests differ)"
        raise FormatError(msg, path=path, hint=AGAIN)
    genes = read_parquet(content, path=path)
    missing = [name for name in columns if name not in genes.columns]
    if missing:
        msg = f"lacks the columns {', '.join(missing)}"
        raise FormatError(msg, path=path, hint=AGAIN)
    return genes


NOT_IN_LIST = ("Status", "Significant")
NOTABLE_CHANGE = 0.5
"""Share by which the number of genes must change for covariates to be mentioned."""


@dataclass(frozen=True, eq=False)
class AnalysisResult:
    """The result of one problem.

    Attributes
    ----------
    trait
        Trait folder name.
    condition
        Condition of the problem.
    genes
        All genes of the cohort with the columns of `GENE_TABLE`, null where one does not apply:
        tested genes by the p-value that ranks, then the others in table order. ``Coefficient`` is
        the log2 fold change of a binary trait, the change per standard deviation of a continuous
        one, a factor's largest difference between two levels (three columns for each pair of levels
        follow); ``Standardised Effect`` is Hedges' g or the partial correlation; ``Panel
        Coefficient`` is 0 for genes outside the panel. ``benchmark``: selected genes by the size of
        their coefficient, then the others.
    cv_performance
        ``prediction``: quality of the panel on samples it has not seen; empty when not estimated.
        ``benchmark``: ``prediction`` and ``selection`` as the benchmark defines them.
    method
        Procedure, options, versions, contrast, filter and the result of each step: see
        `record_method`, and `analyze_benchmark` for the procedure ``benchmark``.
    warnings
        What a reader should know before trusting the list.
    cohort
        Cohort that was analysed; empty when the table came from elsewhere.
    cohort_reason
        Why this one.
    other_cohorts
        Every other cohort and why not it.
    regression
        The regression that ranks, sample by sample, for an R script. It is written to no file: a
        result that was read has none, except that of a design (``method["regression"]``).
    """

    trait: str
    condition: str | None
    genes: pl.DataFrame
    cv_performance: Mapping[str, Any]
    method: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    cohort: str = ""
    cohort_reason: str = ""
    other_cohorts: Mapping[str, str] = field(default_factory=dict)
    regression: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def procedure(self) -> Procedure:
        """By which the problem was analysed; ``sound`` where the method does not record it."""
        return Procedure(self.method.get("procedure", Procedure.SOUND))

    @property
    def significant(self) -> pl.DataFrame:
        """The significant genes, by p-value."""
        return self.genes.filter(pl.col("Significant"))

    @property
    def significant_interactions(self) -> pl.DataFrame:
        """``Variable``, ``Coefficient`` and ``q`` of the significant interactions, by q-value."""
        record = self.method.get("interaction")
        cut = record["q_cut"] if record else 0.0
        return rank_interactions(self.genes).filter(pl.col("q") < cut)

    @property
    def interaction_summary(self) -> str:
        """One sentence on the interaction of trait and condition; empty where none was tested."""
        record = self.method.get("interaction")
        if not record:
            return ""
        if not record["tested"]:
            return f"The interaction with {record['condition']} could not be tested."
        names = ", ".join(gene["Variable"] for gene in record["top"][: record["significant"]][:5])
        return (
            f"The interaction with {record['condition']} is significant at q < "
            f"{record['q_cut']:g} for {record['significant']:,} of {record['tested']:,} genes"
            f"{f' ({names})' if names else ''}."
        )

    @property
    def covariates_summary(self) -> str:
        """What covariates change, in sentences; empty where that is little."""
        method = self.method
        sentences = []
        adjusted = [name for name in method.get("adjusted_for", ()) if name != self.condition]
        without = method.get("without_covariates")
        found = method.get("moderated", method).get("significant", 0)
        if without is not None and abs(without - found) > NOTABLE_CHANGE * found:
            sentences.append(
                f"Without covariates ({', '.join(adjusted)}), {without:,} "
                f"{'gene' if without == 1 else 'genes'} would be significant."
            )
        asked = method.get("options", {}).get("covariates", ())
        if self.condition in asked:
            sentences.append(
                f"{self.condition} is a covariate without this condition too: the ranking is the "
                "same, and the condition adds the test of the interaction."
            )
        return " ".join(sentences)

    @property
    def hidden_summary(self) -> str:
        """What adjusting for hidden factors changes, in a sentence; empty where none was found."""
        record = self.method.get("hidden", {})
        known = [e["evidence"] for e in record.get("technical", ()) if e["columns"]]
        technical = ""
        if known:
            names = " and ".join(f"'{name}'" for name in known)
            technical = f"Adjusted for a technical factor, which goes with {names}. "
        if not record.get("used") or "grades" not in record:  # as in earlier versions
            return technical.rstrip()
        factors = counted(record["used"], "hidden factor")
        if self.method.get("ranked_by") == "Mixed p":
            how = "the mixed model, which ranks the genes, does not use them; by the moderated t"
        else:
            how = f"genes are ranked {'' if record['ranked_with'] else 'without '}adjusting for "
            how = f"{how}{'it' if record['used'] == 1 else 'them'}"
        robust, sensitive, masked = (record["grades"][name] for name in GRADES)
        return (
            f"{technical}{factors} found (batch, mixture of cells and the like); {how}: "
            f"{robust:,} robust (significant with and without adjustment), "
            f"{sensitive:,} sensitive (only without), {masked:,} masked (only with)."
        )

    @property
    def counts_summary(self) -> str:
        """One sentence on RNA-seq counts; empty where expression was not counted."""
        record = self.method.get("counts")
        return summarise_libraries(record) if record else ""

    @property
    def trend_summary(self) -> str:
        """One sentence on why the prior variance follows expression; empty where it does not."""
        kind = self.method.get("prior", {}).get("trend_because", "")
        if not kind:
            return ""
        return (
            f"{kind[0].upper()}{kind[1:]}: the prior variance depends on mean expression "
            "(limma's trend; --no-trend switches it off)."
        )

    @property
    def panel_summary(self) -> str:
        """Why the sparse panel was left out; empty where it was not."""
        notes = self.method.get("panel", {}).get("notes", ())
        return LEFT_OUT if LEFT_OUT in notes else ""

    @property
    def counts_kind(self) -> str:
        """How RNA-seq counts were treated, in a few words; empty where it was not counted."""
        return self.counts_summary.partition(":")[0]

    @property
    def levels_summary(self) -> str:
        """How the levels of the trait were tested, in sentences; empty for other traits."""
        record = self.method.get("levels", {})
        cut = float(self.method.get("options", {}).get("q_cut", 0.05))
        return summarise_levels(record, self.trait.replace("_", " "), cut)

    @property
    def samples(self) -> int:
        """Number of samples compared."""
        groups = self.method["contrast"]["samples"]
        return sum(len(members) for name, members in groups.items() if name != "left_out")


def write_result(output: OutputFolder, result: AnalysisResult) -> Path:
    """Write the significant genes as JSON, which is returned, and all genes as Parquet, as a pair.

    The JSON has the benchmark's fields (GenoTEX README, section 4) and additional ones, among them
    the digest of the Parquet file. An earlier JSON goes before the new Parquet file comes, so that
    a crash leaves no pair that does not match. An earlier report page of the problem and its
    CSV would show outdated numbers, so they are removed; and so are the gene sets and the
    meta-analysis, unless the table of all genes is identical.
    """
    listed = result.significant.drop(NOT_IN_LIST)
    # A column that this analysis does not fill has no place in the list.
    empty = [n for n in result.genes.columns if result.genes[n].null_count() == result.genes.height]
    listed = listed.drop([name for name in empty if name in listed.columns])
    path = output.significant_genes(result.trait, result.condition)
    table = output.all_genes(result.trait, result.condition)
    content: dict[str, Any] = {
        "significant_genes": {name: listed[name].to_list() for name in listed.columns},
        **_interactions(result),
        "cv_performance": dict(result.cv_performance),
        "problem": {"trait": result.trait, "condition": result.condition},
        "cohort": {
            "id": result.cohort,
            "reason": result.cohort_reason,
            "others": dict(result.other_cohorts),
        },
        "method": dict(result.method),
        "warnings": list(result.warnings),
    }

    def before(seal: str) -> None:
        if not table.is_file() or sha256(table) != seal:
            _remove_companions(output, result.trait, result.condition)
        remove_with_csv(output.report(result.trait, result.condition))

    return write_pair(path, table, content, result.genes.write_parquet, before)


def _interactions(result: AnalysisResult) -> dict[str, Any]:
    if "interaction" not in result.method:
        return {}
    return {"significant_interactions": result.significant_interactions.to_dict(as_series=False)}


def remove_result(output: OutputFolder, trait: str, condition: str | None) -> None:
    """Remove the result of a problem that no longer holds, and all that was made from it.

    These are its report page and CSV, its gene sets, and the answer over all cohorts with its page.
    """
    _remove_companions(output, trait, condition)
    output.significant_genes(trait, condition).unlink(missing_ok=True)
    output.all_genes(trait, condition).unlink(missing_ok=True)
    remove_with_csv(output.report(trait, condition))


def _remove_companions(output: OutputFolder, trait: str, condition: str | None) -> None:
    remove_with_csv(output.enrichment(trait, condition))
    remove_with_csv(output.meta_report(trait, condition))
    output.meta_genes(trait, condition).unlink(missing_ok=True)
    output.meta_table(trait, condition).unlink(missing_ok=True)


def read_result(output: OutputFolder, trait: str, condition: str | None) -> AnalysisResult:
    """Read what `write_result` wrote.

    Raises
    ------
    AnalysisError
        If the problem has not been analysed.
    FormatError
        If one of the two files is not what it should be, or they are not a pair.
    """
    path = output.significant_genes(trait, condition)
    if not path.is_file():
        msg = f"{trait}, condition {condition}: no result at {path}; run analyze first"
        raise AnalysisError(msg)
    content = read_pair(StoredResult, path, trait, condition)
    problem, cohort = content["problem"], content["cohort"]
    table = output.all_genes(trait, condition)
    return AnalysisResult(
        trait=problem["trait"],
        condition=problem["condition"],
        genes=read_table(table, content["all_genes"]["sha256"], list(stored_types())),
        cv_performance=content["cv_performance"],
        method=content["method"],
        warnings=tuple(content["warnings"]),
        cohort=cohort["id"],
        cohort_reason=cohort["reason"],
        other_cohorts=cohort["others"],
    )
