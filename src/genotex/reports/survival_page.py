"""The page of a test of the time to an event, and its figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis import SurvivalResult, kaplan_meier, log_rank_test, split_by_level
from genotex.arrays import Floats
from genotex.errors import AnalysisError
from genotex.figures import (
    ChangeWords,
    CurvePanel,
    Figure,
    GeneResult,
    GroupCurve,
    all_samples,
    p_values,
    survival_curves,
    volcano,
)
from genotex.reports.genes.table import (
    Column,
    GeneTableView,
    TableColumn,
    TopGene,
    rows_on_page,
    top_genes,
)
from genotex.reports.pages import checked_page, render_template, write_page_files
from genotex.reports.problem.software import SoftwareView, software_view, written_options
from genotex.reports.sections import FigureView, view_figures
from genotex.words import counted, listed, number, share_of

_TOP = 12
_HAZARD = "hazard ratio per unit of log2 expression, a doubling"
_COLUMNS = (
    TableColumn("Variable", "Gene", "official symbol", "text"),
    TableColumn("Hazard Ratio", "HR", _HAZARD, "plain"),
    TableColumn(
        "CI Lower", "95 % interval", "95 % confidence interval of the hazard ratio (Wald)", "plain"
    ),
    TableColumn("z", "z", "score statistic", "signed"),
    TableColumn("p", "p", "p-value of the score test", "p"),
    TableColumn("q", "q", "Benjamini-Hochberg q-value (false discovery rate)", "p"),
    TableColumn("Mean Expression", "mean", "mean log2 expression over the samples tested", "plain"),
)


@dataclass(frozen=True)
class SurvivalSource:
    """Where the values come from: name of the cohort, files read, notes, record of counts."""

    name: str
    files: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    counts: Mapping[str, Any] | None = None


class _SurvivalTable(GeneTableView):
    """The gene table of the page; the interval is one of hazard ratios."""

    def cell(self, gene: Mapping[str, Any], column: Column) -> str:
        """Return a gene's value in a column as the page writes it."""
        if column.name == "CI Lower":
            return _interval(gene["CI Lower"], gene["CI Upper"])
        return (
            _ratio(gene[column.name])
            if column.name == "Hazard Ratio"
            else super().cell(gene, column)
        )


@dataclass(frozen=True, eq=False)
class _SurvivalPage:
    """Everything on the page of a time to event."""

    title: str
    trait: str
    condition: None
    question: str
    version: str
    facts: tuple[tuple[str, str], ...]
    significant: int
    headline: str
    followed: str
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None
    warnings: tuple[str, ...]
    figures: tuple[FigureView, ...]
    table: _SurvivalTable
    notes: tuple[str, ...]
    methods: str
    software: SoftwareView
    files: Sequence[Mapping[str, Any]]


def write_survival_report(path: Path, found: SurvivalResult, source: SurvivalSource) -> Path:
    """Write the page of a time to event next to its ``genes.csv``."""
    page = build_survival_page(found, source)
    return write_page_files(render_template("survival.html.j2", page), checked_page(path))


def figures_of_survival(found: SurvivalResult) -> list[Figure]:
    """Return all figures of a time to event."""
    return _survival_figures(found, _genes(found))


def build_survival_page(found: SurvivalResult, source: SurvivalSource) -> _SurvivalPage:
    """Return the page of a time to event."""
    method, genes = found.method, _genes(found)
    hits = genes.filter(pl.col("Significant"))
    event = str(method["survival"]["event"])
    methods = _methods(found, source)
    top, zero = top_genes(genes.head(_TOP))
    given = f", given {listed(list(method['covariates']))}" if method["covariates"] else ""
    command = [("Design in the words of genotex de", _words(method))]
    digests = [
        (f"SHA-256 of {file.get('name', 'a file')}", str(file.get("sha256") or ""))
        for file in source.files
    ]
    options = [("Options of the analysis", written_options(method["options"]))]
    return _SurvivalPage(
        title=f"Time to event: {event}",
        trait=f"Time to event: {event}",
        condition=None,
        question=f"Which genes are associated with the time to {event}{given}?",
        version=str(method["versions"]["genotex"]),
        facts=_facts(found, source),
        significant=hits.height,
        headline=_headline(genes, hits, float(method["options"]["q_cut"])),
        followed=_followed(found),
        top=tuple(
            _as_ratio(gene, row) for gene, row in zip(top, genes.head(_TOP).to_dicts(), strict=True)
        ),
        top_title="Top genes" if hits.height else "First genes of the ranking",
        zero=zero,
        warnings=tuple(dict.fromkeys((*source.warnings, *found.warnings))),
        figures=view_figures(_survival_figures(found, genes)),
        table=_table(genes, hits.height),
        notes=_notes(found, source),
        methods=methods,
        software=software_view(methods, method, [*command, *options, *digests]),
        files=source.files,
    )


def _genes(found: SurvivalResult) -> pl.DataFrame:
    """Return the genes under the names of the gene table; intervals as logarithms."""
    cut = float(found.method["options"]["q_cut"])
    return found.genes.select(
        pl.col("gene").alias("Variable"),
        pl.col("log_hazard_ratio").alias("Coefficient"),
        pl.col("ci_low").alias("CI Lower"),
        pl.col("ci_high").alias("CI Upper"),
        pl.col("hazard_ratio").alias("Hazard Ratio"),
        pl.col("mean").alias("Mean Expression"),
        "z",
        "p",
        "q",
        (pl.col("q") < cut).fill_null(False).alias("Significant"),
    )


def _table(genes: pl.DataFrame, hits: int) -> _SurvivalTable:
    most = rows_on_page(hits)
    rows = genes.head(most).with_columns(pl.col("CI Lower", "CI Upper").exp()).to_dicts()
    title = f"{len(rows):,} of {genes.height:,} genes, by p-value."
    return _SurvivalTable(_COLUMNS, rows, genes.height, "genes.csv", title=title)


def _as_ratio(gene: TopGene, row: Mapping[str, Any]) -> TopGene:
    ends = [None if row[name] is None else math.exp(row[name]) for name in ("CI Lower", "CI Upper")]
    return replace(gene, estimate=_ratio(row["Hazard Ratio"]), interval=_interval(*ends))


def _ratio(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:.2f}" if 0.1 <= value < 100 else f"{value:.2g}"


def _interval(low: float | None, high: float | None) -> str:
    ends = _ratio(low), _ratio(high)
    return " to ".join(ends) if all(ends) else ""


def _facts(found: SurvivalResult, source: SurvivalSource) -> tuple[tuple[str, str], ...]:
    method = found.method
    events = int(found.event.sum())
    facts = (
        ("Cohort", source.name),
        ("Samples", f"{len(found.time):,}"),
        ("Events", f"{events:,}"),
        ("Censored", f"{len(found.time) - events:,}"),
        ("Time", str(method["survival"]["time"])),
        ("Covariates", listed(list(method["covariates"])) or "none"),
        ("Model", "Cox, score test of each gene"),
    )
    return tuple((name, value) for name, value in facts if value)


def _headline(genes: pl.DataFrame, hits: pl.DataFrame, cut: float) -> str:
    tested = counted(genes.height, "tested gene")
    if not hits.height:
        lowest = genes["q"].min()
        found = (
            f"; the lowest q-value is {number(lowest, 'p')}" if isinstance(lowest, float) else ""
        )
        return (
            f"None of the {tested} passes q < {cut:g}{found}. That is a result, not an error: the "
            "ranking is still the best order of candidates."
        )
    up = hits.filter(pl.col("z") > 0).height
    share = share_of(hits.height, genes.height)
    return (
        f"Of {tested}, {share} are associated with the time to the event at q < {cut:g}: "
        f"higher expression goes along with earlier events for {up:,} and with later ones for "
        f"{hits.height - up:,}."
    )


def _followed(found: SurvivalResult) -> str:
    events = int(found.event.sum())
    middle = median_time(found.time, found.event)
    half = "was not reached" if middle is None else f"was {middle:.4g}"
    return (
        f"{counted(len(found.time), 'sample')}, {counted(events, 'event')}. The longest time is "
        f"{np.max(found.time):.4g}; the median time to the event {half} (Kaplan-Meier, column "
        f"{found.method['survival']['time']})."
    )


def _words(method: Mapping[str, Any]) -> str:
    survival = method["survival"]
    design = f" --design '{method['formula']}'" if method["formula"] else ""
    return f"genotex de ... --survival '{survival['time']},{survival['event']}'{design}"


def _notes(found: SurvivalResult, source: SurvivalSource) -> tuple[str, ...]:
    rule = found.method["filter"].get("rule")
    filled = [f"{name}: {n}" for name, n in found.method["filled"].items() if n]
    notes = [
        *source.notes,
        *([f"Filter before the tests: {rule}"] if rule else []),
        *([f"Missing values filled: {listed(filled)}"] if filled else []),
        f"{counted(found.genes.height, 'gene')} tested in {counted(len(found.time), 'sample')}",
    ]
    return tuple(dict.fromkeys(notes))


def _methods(found: SurvivalResult, source: SurvivalSource) -> str:
    method = found.method
    given = f", given {listed(list(method['covariates']))}" if method["covariates"] else ""
    counts = (
        " Read counts were filtered and became log2 counts per million, with library sizes "
        "normalised by the trimmed mean of M values (Robinson and Oshlack 2010)."
        if source.counts
        else ""
    )
    survival, genes = method["survival"], counted(found.genes.height, "gene")
    return (
        f"Gene expression of {source.name} ({counted(len(found.time), 'sample')}, "
        f"{counted(int(found.event.sum()), 'event')}) was analysed with genotex "
        f"{method['versions']['genotex']}.{counts} Each gene's log2 expression was tested for "
        f"association with the time to {survival['event']} ({survival['time']}) by the score test "
        f"in a proportional hazards model (Cox 1972){given}; ties were handled by Efron's method "
        "(Efron 1977). Hazard ratios are maximum-likelihood estimates per unit of log2 expression, "
        f"with Wald 95 % intervals. P-values of {genes} were adjusted by the method of Benjamini "
        f"and Hochberg (1995); genes with q < {method['options']['q_cut']:g} were called "
        "significant. Curves are Kaplan-Meier estimates (Kaplan and Meier 1958) of the samples "
        "below and above the gene's median expression, compared by the log-rank test "
        f"(Mantel 1966). Software: genotex {method['versions']['genotex']}, Python "
        f"{method['versions']['python']}."
    )


_PANELS = 6
_WORDS = ChangeWords(
    "log hazard ratio per unit of log2 expression",
    "events are earlier where expression is higher (hazard ratio above 1)",
    "later",
)


def _survival_figures(found: SurvivalResult, genes: pl.DataFrame) -> list[Figure]:
    """Return volcano plot, p-values, the curve of all samples and those of the first genes."""
    subject = GeneResult.of(genes, _WORDS, found.method["options"]["q_cut"], p=("p", "q"))
    panels = _first_halves(found, genes)
    drawn = [
        _curves(found, panels) if panels else None,
        _with_unbounded(volcano(subject), genes),
        p_values(subject),
        _all_samples(found),
    ]
    return [figure for figure in drawn if figure is not None]


def median_time(time: Floats, event: Floats) -> float | None:
    """Return the time at which half of the samples have had the event; None if never."""
    curve = kaplan_meier(time, event)
    reached = np.flatnonzero(curve.survival <= 0.5)
    return float(curve.times[reached[0]]) if len(reached) else None


def _first_halves(found: SurvivalResult, genes: pl.DataFrame) -> list[CurvePanel]:
    """Return the curves of the first genes that divide the samples into halves."""
    place = {gene: j for j, gene in enumerate(found.names)}
    panels = []
    for row in genes.head(2 * _PANELS).to_dicts():
        try:
            panels.append(_halves(found, found.expression[:, place[row["Variable"]]], row))
        except AnalysisError:
            # Too many equal values, or no events in a half.
            continue
        if len(panels) == _PANELS:
            break
    return panels


def _halves(found: SurvivalResult, expression: Floats, row: dict[str, float | str]) -> CurvePanel:
    labels = np.array(split_by_level(expression))
    known = labels != ""
    test = log_rank_test(found.time[known], found.event[known], labels[known].tolist())
    groups = tuple(
        GroupCurve.of(label, found.time[labels == label], found.event[labels == label])
        for label in ("low", "high")
    )
    return CurvePanel(str(row["Variable"]), f"log-rank p = {number(test.p, 'p')}", groups)


def _curves(found: SurvivalResult, panels: list[CurvePanel]) -> Figure:
    names = [panel.title for panel in panels]
    alt = f"Kaplan-Meier curves of samples with low and high expression of {listed(names)}."
    caption = (
        "The first genes of the ranking: samples below the gene's median expression (blue) and "
        "above it (rust), with 95 % limits; ticks are censored samples. Genes were tested by their "
        "expression in every sample, and the halves only illustrate it. These genes were picked "
        "for their p-values, so a difference is expected here and the log-rank p-value is no "
        "proof of it. Curves that cross speak against proportional hazards."
    )
    title, time = "Top genes, Kaplan-Meier curves", str(found.method["survival"]["time"])
    drawn = survival_curves(panels, time)
    return replace(drawn, title=title, caption=caption, alt=alt)


def _all_samples(found: SurvivalResult) -> Figure:
    group = GroupCurve.of("", found.time, found.event)
    alt = f"Kaplan-Meier curve of {counted(group.samples, 'sample')}, {group.events} events."
    caption = (
        f"All {counted(group.samples, 'sample')} with {counted(group.events, 'event')}, and 95 % "
        "limits; ticks are censored samples. Below the axis: samples still at risk."
    )
    label = str(found.method["survival"]["time"])
    drawn = all_samples(group, found.time, label)
    return replace(drawn, title="All samples", caption=caption, alt=alt)


def _with_unbounded(drawn: Figure | None, genes: pl.DataFrame) -> Figure | None:
    """Say how many genes the volcano plot leaves out."""
    unbounded = genes["Coefficient"].null_count()
    if drawn is None:
        return None
    drawn = replace(drawn, title="Hazard ratio against significance")
    if not unbounded:
        return drawn
    left = f" {counted(unbounded, 'gene')} without a finite estimate cannot be drawn."
    return replace(drawn, caption=drawn.caption + left)
