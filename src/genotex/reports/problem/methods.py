"""The methods paragraph, ready to paste, and the processing log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from genotex.analysis import OWN_TABLES
from genotex.formats import Evidence
from genotex.reports.genes.findings import Findings
from genotex.reports.problem.groups import Group, compared_methods, own_tables_methods
from genotex.reports.problem.software import software_sentence
from genotex.reports.sections.condition import condition_methods
from genotex.reports.sections.hidden_factors import unmeasured_methods, unmeasured_note
from genotex.reports.sections.levels import levels_methods
from genotex.reports.sections.mixed_model import mixed_methods
from genotex.reports.sections.samples import samples_methods
from genotex.reports.sections.selection import selection_methods
from genotex.words import counted, listed, readable

_LINKING = {
    "samples": ("Samples linked", "samples with both a clinical and an expression column"),
    "samples_without_trait": ("Samples without the trait", "dropped"),
    "genes_dropped": ("Genes dropped", "missing in more than 20 % of the samples"),
    "samples_dropped": ("Samples dropped", "missing more than 5 % of the remaining genes"),
    "age_filled": ("Ages filled", "with the mean age"),
    "gender_filled": ("Genders filled", "with the more frequent one"),
    "values_filled": ("Values filled", "with the mean of their gene, in the CSV only"),
}

_QUALITY = {
    "auroc": "AUROC",
    "auroc_without_genes": "AUROC of the covariates alone",
    "r_squared": "R\N{SUPERSCRIPT TWO}",
    "r_squared_without_genes": "R\N{SUPERSCRIPT TWO} of the covariates alone",
    "f1": "F1",
    "brier": "Brier score",
    "nmse": "normalised squared error",
}
_PERCENT = frozenset({"accuracy", "precision", "recall", "f1"})


class LogStep(NamedTuple):
    """One step of the processing: what, how many, and a remark."""

    name: str
    value: str
    remark: str = ""


def methods_paragraph(
    evidence: Evidence,
    findings: Findings,
    tested_genes: int,
    groups: Sequence[Group] = (),
    gene_sets: str = "",
) -> str:
    """Return what was done, in the past tense of a methods section."""
    parts = [
        _source(evidence),
        _genes(evidence),
        _clinical(evidence, findings),
        compared_methods(findings, groups),
        model_methods(findings, tested_genes),
        gene_sets,
        software_sentence({"genotex": evidence.genotex_version, **findings.record("versions")}),
    ]
    return " ".join(part for part in parts if part)


def _source(evidence: Evidence) -> str:
    if evidence.source == OWN_TABLES:
        return own_tables_methods(evidence)
    series = evidence.series
    platform = series.get("platform", "")
    title = series.get("platform_title", "")
    on = f" ({', '.join(p for p in (platform, title) if p)})" if platform or title else ""
    where = "GEO series" if evidence.source == "GEO" else "cohort"
    hub = "" if evidence.source == "GEO" else " from the UCSC Xena hub"
    return (
        f"Gene expression data of {where} {evidence.cohort}{hub}{on} were processed with genotex "
        f"{evidence.genotex_version} (procedure '{evidence.procedure}')."
    )


def _genes(evidence: Evidence) -> str:
    mapping = evidence.mapping
    rows, genes = _count(mapping, "rows"), _count(mapping, "genes")
    if rows is None or genes is None:
        return ""
    column = mapping.get("gene_column")
    through = f" through the platform column '{column}'" if column else ""
    scale = {
        "linear": _logged(mapping),
        "log2": " Values were on the log2 scale as published.",
        "counts": _counted(evidence),
    }.get(str(mapping.get("scale", "")), "")
    if not evidence.procedure.logs_linear_values:
        scale = ""
    became = f"The {rows:,} rows of the matrix became {genes:,} official human gene symbols"
    return f"{became}{through}.{scale}"


def _logged(mapping: dict[str, Any]) -> str:
    offset = mapping.get("offset")
    if not isinstance(offset, int | float):
        return " Values were on a linear scale and were log2-transformed."
    return (
        " Values were on a linear scale, where zeros are measurements; they were transformed to "
        f"log2(value + {offset:.4g})."
    )


def _counted(evidence: Evidence) -> str:
    counts = evidence.counts
    if not counts:
        return ""
    return (
        " Values were the read counts that NCBI computes for RNA-seq series, added up by symbol; "
        f"{counts['kept']:,} genes had {counts['rule']} (Chen et al. 2016)."
    )


def _clinical(evidence: Evidence, findings: Findings) -> str:
    if findings.design is not None:
        return ""
    trait = evidence.reading.get("trait") or {}
    key = str(trait.get("key") or "").strip()
    source = f" from the sample characteristic '{key}'" if key else ""
    by = trait.get("told_by") or evidence.reading.get("by")
    hand = f" by {'the built-in rules' if by == 'rules' else by}" if by else ""
    text = f"The trait was annotated{source}{hand}."
    if trait.get("sample_field") == "sample":
        evidence_text = "; ".join(map(str, trait.get("evidence") or ()))
        text = f"A person decided the groups of the samples ({evidence_text})."
    if excluded := evidence.reading.get("excluded"):
        text += f" A person excluded {counted(len(excluded), 'sample')}."
    dropped = [
        f"{counted(count, noun)} {why}"
        for field, noun, why in (
            ("samples_without_trait", "sample", "without the trait"),
            ("genes_dropped", "gene", "missing in more than 20 % of samples"),
            ("samples_dropped", "sample", "missing more than 5 % of genes"),
        )
        if (count := _count(evidence.linking, field))
    ]
    return (
        f"{text} {listed(dropped)[:1].upper()}{listed(dropped)[1:]} were left out."
        if dropped
        else text
    )


def log_steps(evidence: Evidence, findings: Findings, tested_genes: int) -> tuple[LogStep, ...]:
    """Return the processing from rows of the matrix to tested genes."""
    mapping = evidence.mapping
    together = (
        "rows of a symbol added up" if evidence.counts else "probes of a gene brought together"
    )
    steps = []
    ids = mapping.get("id_kind")
    column = mapping.get("gene_column")
    for key, name, remark in (
        ("rows", "Rows of the matrix", f"identified by {ids}" if ids else ""),
        ("rows_with_symbol", "Rows with a gene", f"from column '{column}'" if column else ""),
        ("genes_mapped", "Genes after mapping", together),
        ("genes", "Official gene symbols", "synonyms replaced, unknown symbols dropped"),
    ):
        if (count := _count(mapping, key)) is not None:
            steps.append(LogStep(name, f"{count:,}", remark))
    if scale := mapping.get("scale"):
        steps.append(LogStep("Scale of the values", str(scale), "as detected or given"))
    if isinstance(offset := mapping.get("offset"), int | float):
        steps.append(LogStep("Offset of the logarithm", f"{offset:.4g}", "so that zeros are kept"))
    steps += _counted_steps(evidence)
    for key, value in evidence.linking.items():
        name, remark = _LINKING.get(key, (key.replace("_", " ").capitalize(), ""))
        steps.append(LogStep(name, _written(value), remark))
    whose = "those of the contrast" if findings.design is None else "those of the design"
    samples = LogStep("Samples compared", f"{len(findings.tested):,}", whose)
    if findings.selects:
        return (*steps, samples, LogStep("Genes to select from", f"{tested_genes:,}", ""))
    out = f"left out: {listed(findings.left_out)}" if findings.left_out else "with a p-value"
    return (*steps, samples, LogStep("Genes tested", f"{tested_genes:,}", out))


def _counted_steps(evidence: Evidence) -> list[LogStep]:
    """Return how counts were processed, for the processing log; empty for other cohorts."""
    counts = evidence.counts
    if not counts:
        return []
    totals = sorted(counts.get("totals", {}).values())
    steps = [
        LogStep("Genes with few counts", f"{counts['filtered']:,}", f"kept: {counts['rule']}"),
        LogStep("Normalisation", str(counts["normalisation"]), "of the genes kept"),
    ]
    if totals:
        span = f"{totals[0]:,.0f} to {totals[-1]:,.0f}"
        steps.append(LogStep("Reads of a library", span, f"{len(totals)} libraries"))
    return steps


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list | tuple):
        return listed([_written(item) for item in value]) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_written(item)}" for key, item in value.items())
    return "none" if value is None else str(value)


def _count(record: dict[str, Any], key: str) -> int | None:
    value = record.get(key)
    return int(value) if isinstance(value, int | float) else None


def remaining_notes(evidence: Evidence, findings: Findings) -> tuple[str, ...]:
    """Return the notes of cohort and analysis, each once, without those that are warnings."""
    warned = {*findings.result.warnings, *evidence.warnings}
    notes = [*evidence.notes, *_notes(findings)]
    return tuple(note for note in dict.fromkeys(notes) if note not in warned)


def model_methods(findings: Findings, tested_genes: int) -> str:
    """Return what was computed, in the past tense, each method with its source."""
    if findings.selects:
        parts = [condition_methods(findings), selection_methods(findings)]
    else:
        parts = [
            samples_methods(findings),
            _pairs(findings),
            condition_methods(findings),
            _regression(findings),
            levels_methods(findings),
            unmeasured_methods(findings),
            mixed_methods(findings),
            _significance(findings, tested_genes),
            _interaction(findings),
            _panel(findings),
        ]
    return " ".join(part for part in parts if part)


def _pairs(findings: Findings) -> str:
    pairs = findings.pairs
    if pairs is None:
        return ""
    how = "the correlation of their residual expression profiles"
    whose = f"one person, detected by {how}," if pairs.detected else f"the same '{pairs.key}'"
    by = f"detected by {how}" if pairs.detected else f"by '{pairs.key}'"
    if pairs.averaged:
        became = (
            f": {counted(pairs.before, 'sample')} became {pairs.samples:,}"
            if pairs.before is not None and pairs.samples is not None
            else ""
        )
        return f"Samples of {whose} were averaged before any test{became}."
    if pairs.correlation is not None:
        return (
            f"Samples of {whose} ({counted(pairs.blocks, 'person', 'people')}) were treated as "
            f"correlated (r = {pairs.correlation:.2f}, the consensus over genes; Smyth, Michaud "
            "and Scott 2005), in generalised least squares."
        )
    return (
        f"Samples were compared within {counted(pairs.blocks, pairs.noun)} {by}, each with a "
        "level of its own in the regression."
    )


def _regression(findings: Findings) -> str:
    covariates = "" if findings.design is not None else _covariates(findings)
    out = f" Not tested were {listed(findings.left_out)}." if findings.left_out else ""
    return f"{_model(findings)}{covariates}.{out}"


def _covariates(findings: Findings) -> str:
    return (
        f", with {listed(findings.covariate_names)} as "
        f"covariate{'s' if len(findings.covariates) > 1 else ''}"
        if findings.covariates
        else ""
    )


def _model(findings: Findings) -> str:
    """Return the regression in the words of a methods section."""
    if findings.record("counts").get("test") == "DESeq2":
        return _negative_binomial(findings)
    prior, options = findings.record("prior"), findings.record("options")
    found = "infinite" if prior.get("df_infinite") else _number(prior.get("df"))
    degrees = f"; {found} prior degrees of freedom" if found else ""
    trend = ", with a trend in mean expression" if prior.get("trend") else ""
    if kind := prior.get("trend_because"):
        trend += f" as due for {kind}"
    robust = "; robust to hypervariable genes, Phipson et al. 2016" if prior.get("robust") else ""
    least = _number(options.get("min_effect") or None)
    statistic, what = "t", "trait's coefficient was"
    on = "the trait"
    if (design := findings.design) is not None:
        on = "the design"
        statistic = "F" if design.several else "t"
        what = f"{design.short} {'were' if design.several else 'was'}"
        if design.several:
            what += " together"
    if findings.record("levels").get("treatment") == "factor":
        statistic, what = "F", "differences among the trait's levels were"
    against = f" against effects of at most {least} (McCarthy and Smyth 2009)" if least else ""
    return (
        f"{_regressed(findings.record('counts'), on)}{_weighted(findings.record('weights'))} and "
        f"the {what} tested{against} with limma's empirical-Bayes moderated {statistic} "
        f"statistic (Smyth 2004{trend}{degrees}{robust})"
    )


def _negative_binomial(findings: Findings) -> str:
    """Return DESeq2's regression in the words of a methods section."""
    least = _number(findings.record("options").get("min_effect") or None)
    against = f" against effects of at most {least}" if least else ""
    on = "the trait" if findings.design is None else "the design"
    what = "the trait's coefficient" if findings.design is None else findings.design.short
    return (
        f"Each gene's counts were regressed on {on} by a negative binomial model with the size "
        f"factors and dispersions of DESeq2, and {what} was tested{against} by its Wald statistic "
        f"(Love et al. 2014; PyDESeq2 {findings.record('counts').get('pydeseq2', '')}, Muzellec et "
        "al. 2023)"
    )


def _weighted(weights: Mapping[str, Any]) -> str:
    """Return how samples were weighted; empty where all counted the same."""
    if weights.get("used") == "sample":
        return ", each sample weighted by its precision over all genes (Ritchie et al. 2006),"
    if weights.get("used") != "group":
        return ""
    spread = listed(
        [f"{group} {value:.2f}" for group, value in weights.get("deviation", {}).items()]
    )
    return (
        f", samples weighted by the spread of their group (relative standard deviations: {spread}; "
        "Ritchie et al. 2006),"
    )


def _regressed(counts: Mapping[str, Any], on: str) -> str:
    if not counts:
        return f"Each gene's log2 expression was regressed on {on} by ordinary least squares"
    squares = (
        "weighted least squares with voom's precision weights (Law et al. 2014)"
        if counts.get("weights") == "voom"
        else "ordinary least squares"
    )
    return (
        "Each gene's log2 counts per million, with library sizes normalised by the trimmed mean of "
        f"M values (Robinson and Oshlack 2010), were regressed on {on} by {squares}"
    )


def _significance(findings: Findings, tested_genes: int) -> str:
    rule = (
        f"P-values of {counted(tested_genes, 'gene')} in {counted(len(findings.tested), 'sample')} "
        "were adjusted by the method of Benjamini and Hochberg (1995); genes with "
        f"q < {findings.cut:g}"
    )
    if findings.minimal_change > 0 and findings.mixed_ranks:
        rule += f" and an absolute change of at least {findings.minimal_change:g}"
    order = ""
    if findings.leads_by_chance:
        order = (
            " They are listed by the chance that an independent cohort shows them in the same "
            "direction with p < 0.05, a logistic regression on effect, error, expression and "
            "sample size that was learned from pairs of real cohorts."
        )
    return f"{rule} were called significant.{order}"


def _interaction(findings: Findings) -> str:
    found = findings.record("interaction")
    if not found.get("tested"):
        return ""
    condition = readable(str(findings.result.condition)).lower()
    return (
        f"The interaction of trait and {condition} was tested in the same way in a second "
        "regression that had their product as a further column, with q-values over the "
        f"{counted(int(found['tested']), 'gene')} tested for it; it was significant for "
        f"{counted(int(found['significant']), 'gene')}."
    )


def _panel(findings: Findings) -> str:
    panel = findings.record("panel")
    if not panel.get("model"):
        return ""
    how = "logistic" if str(panel["model"]).startswith("logistic") else "linear"
    text = (
        "In addition to the tests, a sparse panel was fitted by the Lasso (Tibshirani 1996; "
        f"{how} model) on z-scored genes"
        + (", with the covariates unpenalised" if findings.covariates else "")
        + f"; its penalty was the largest within one standard error of the best deviance in "
        f"{panel.get('folds', 5)}-fold cross-validation (Breiman et al. 1984)"
    )
    if panel.get("quality"):
        text += ", and its prediction was judged by nested cross-validation"
    if stability := panel.get("stability"):
        text += (
            f". How often each gene was chosen was counted over {stability['pairs']} pairs of "
            "complementary half-samples (Shah and Samworth 2013)"
        )
    return f"{text}."


def _notes(findings: Findings) -> list[str]:
    """Return the notes of the analysis; genes that were only selected have none."""
    if findings.selects:
        return []
    filtered, panel = findings.record("filter"), findings.record("panel")
    method = findings.result.method
    notes = []
    if filtered.get("rule"):
        notes.append(f"Filter before the tests: {filtered['rule']}.")
    if batches := findings.record("batch").get("not_adjusted"):
        named = listed(
            [f"\N{LEFT DOUBLE QUOTATION MARK}{b}\N{RIGHT DOUBLE QUOTATION MARK}" for b in batches]
        )
        notes.append(f"Not adjusted for, though the samples differ in it: {named}.")
    if note := unmeasured_note(findings.surrogates):
        notes.append(note)
    if method.get("pi0") is not None:
        notes.append(f"Estimated share of genes without any difference (pi0): {method['pi0']:.2f}.")
    prediction = findings.result.cv_performance.get("prediction") or {}
    scores = [
        f"{_QUALITY.get(name, name.replace('_', ' '))} "
        + (f"{value:.0f} %" if name in _PERCENT else f"{value:.2f}")
        for name, value in prediction.items()
        if isinstance(value, int | float)
    ]
    if scores:
        source = panel.get("quality") or "cross-validation"
        notes.append(f"Prediction by the sparse panel ({source}): {listed(scores)}.")
    notes += [str(note) for note in panel.get("notes", ())]
    return notes


def _number(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, int | float) else ""
