"""From the records of a cohort and its analysis to the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from genotex.formats import CohortInfo, Evidence, LinkedTable
from genotex.reports.answering import answer_findings, order_of_genes
from genotex.reports.columns import page_columns
from genotex.reports.figures import SampleMarks
from genotex.reports.findings import Findings, ranked
from genotex.reports.illustrating import draw_figures
from genotex.reports.interaction import view_interaction
from genotex.reports.levels import levels_fact, view_levels
from genotex.reports.methods import log_steps, methods_paragraph, remaining_notes
from genotex.reports.page import (
    Column,
    GeneRow,
    GeneTableView,
    GroupView,
    ReportPage,
    UnansweredPage,
)
from genotex.reports.reading import (
    ROLE_KEYS,
    accession_url,
    cohort_rows,
    features_read,
    files_read,
    notes_read,
)
from genotex.reports.samples import view_samples
from genotex.reports.second_opinion import view_mixed
from genotex.reports.sections import GeneSetsView, Section
from genotex.reports.selection import selection_facts, view_selection
from genotex.reports.sequenced import sequenced_fact, view_sequenced
from genotex.reports.shortlist import direction, interval
from genotex.reports.steps import Pairs
from genotex.reports.two_step import view_condition
from genotex.reports.unmeasured import view_unmeasured
from genotex.reports.words import number, question, readable, sentence, with_names

__all__ = ["build_page", "build_unanswered_page", "mark_samples"]

_FIRST_ROWS = 200
_MOST_ROWS = 2000


def build_page(
    evidence: Evidence,
    table: LinkedTable,
    infos: Mapping[str, CohortInfo],
    findings: Findings,
    *,
    csv_name: str,
    gene_sets: GeneSetsView | None = None,
    written: str | None = None,
) -> ReportPage:
    """Return the page of a problem.

    Parameters
    ----------
    evidence : Evidence
        How the cohort was read.
    table : LinkedTable
        The cohort's linked table, best the unfilled one.
    infos : mapping of str to CohortInfo
        Records of all cohorts of the trait.
    findings : Findings
        The analysis.
    csv_name : str
        Name of the CSV file beside the page.
    gene_sets : GeneSetsView, optional
        The gene sets, when some were tested on this very result.
    written : str, optional
        Date to print; none by default, so that the same input gives the same page.
    """
    genes = ranked(findings)
    marks = mark_samples(evidence, table, findings)
    groups = _groups(evidence, marks, findings)
    answer = answer_findings(findings, genes, groups)
    return ReportPage(
        title=_title(findings.trait, findings.condition),
        trait=readable(findings.trait),
        condition=None if findings.condition is None else readable(findings.condition),
        question=question(findings.trait, findings.condition, findings.trait_kind),
        facts=_facts(evidence, findings),
        version=evidence.genotex_version,
        answer=answer,
        warnings=tuple(
            dict.fromkeys(
                _told(text, findings) for text in (*findings.warnings, *evidence.warnings)
            )
        ),
        cohort=findings.cohort,
        cohort_url=accession_url(findings.cohort),
        cohort_title=evidence.series.get("title", ""),
        cohort_reason=findings.cohort_reason.rstrip(".") + "." if findings.cohort_reason else "",
        cohorts=cohort_rows(
            infos, findings.cohort, {**findings.others, findings.cohort: findings.cohort_reason}
        ),
        features=features_read(evidence),
        reading_notes=notes_read(evidence),
        figures=draw_figures(findings, genes, table, marks),
        table=_table(findings, genes, csv_name),
        interaction=view_interaction(findings, genes),
        gene_sets=gene_sets,
        sections=_sections(findings, genes),
        log=log_steps(evidence, findings, answer.tested),
        notes=tuple(_told(text, findings) for text in remaining_notes(evidence, findings)),
        methods=methods_paragraph(
            evidence,
            findings,
            answer.tested,
            groups,
            "" if gene_sets is None else gene_sets.methods,
        ),
        files=files_read(evidence),
        written=written,
    )


def build_unanswered_page(
    trait: str,
    condition: str | None,
    infos: Mapping[str, CohortInfo],
    reasons: Mapping[str, str],
    *,
    version: str,
    why: str = "",
    written: str | None = None,
    records: Sequence[Evidence] = (),
) -> UnansweredPage:
    """Return the page of a problem that no cohort can answer, with the reason of each.

    `records` are those of the cohorts whose reading is to be shown.
    """
    return UnansweredPage(
        _title(trait, condition),
        readable(trait),
        None if condition is None else readable(condition),
        question(trait, condition, "binary"),
        version,
        cohort_rows(infos, None, reasons),
        written,
        sentence(with_names(why, trait, condition)),
        tuple((record.cohort, features_read(record)) for record in records),
    )


def _title(trait: str, condition: str | None) -> str:
    return readable(trait) + (f", given {readable(condition)}" if condition else "")


def _told(text: str, findings: Findings) -> str:
    """Return a warning or note as a sentence that names traits as people do."""
    return sentence(with_names(text, findings.trait, findings.condition))


def _sections(findings: Findings, genes: pl.DataFrame) -> tuple[Section, ...]:
    every = (
        view_samples(findings),
        view_selection(findings),
        view_levels(findings, genes),
        view_sequenced(findings),
        view_condition(findings),
        view_unmeasured(findings, genes),
        view_mixed(findings, genes),
    )
    return tuple(section for section in every if section is not None)


def _facts(evidence: Evidence, findings: Findings) -> tuple[tuple[str, str], ...]:
    predicted, pairs, selection = findings.predicted, findings.pairs, findings.selection
    condition = readable(findings.condition) if findings.condition else "none"
    facts = [
        ("Trait", f"{readable(findings.trait)} ({findings.trait_kind})"),
        ("Levels", levels_fact(findings)),
        ("Condition", condition if predicted is None else f"{condition} (predicted)"),
        ("Cohort", findings.cohort),
        ("Condition's cohort", "" if predicted is None else predicted.cohort),
        ("Platform", evidence.series.get("platform", "")),
        ("Expression", sequenced_fact(findings)),
        ("Procedure", findings.procedure),
        *([] if selection is None else selection_facts(selection)),
        ("Covariates", "" if selection is not None else _covariates(findings)),
        ("Blocked by", "" if pairs is None else _blocked_by(pairs)),
    ]
    return tuple((name, value) for name, value in facts if value)


def _blocked_by(pairs: Pairs) -> str:
    return "people detected by correlation" if pairs.detected else pairs.key


def _covariates(findings: Findings) -> str:
    # What stands for the condition has a place of its own.
    others = [readable(name) for name in findings.covariates if name != findings.condition]
    return ", ".join(others) or "none"


def mark_samples(evidence: Evidence, table: LinkedTable, findings: Findings) -> SampleMarks:
    """Return group or level of each sample of the linked table."""
    if findings.trait_kind != "binary":
        return SampleMarks(
            table.samples,
            ("unknown",) * len(table.samples),
            {},
            table.trait_values,
            readable(table.trait),
        )
    keys = _group_keys(evidence, table)
    tested = set(findings.tested)
    labels = {}
    for key, label in _labels(evidence, keys).items():
        members = [s for s, k in zip(table.samples, keys, strict=True) if k == key]
        labels[key] = label if tested.intersection(members) else f"{label}, not compared"
    return SampleMarks(table.samples, tuple(keys), labels)


def _group_keys(evidence: Evidence, table: LinkedTable) -> list[str]:
    """Return each sample's group: the code tells case from control, the role which control."""
    highest = np.nanmax(table.trait_values, initial=-np.inf)
    roles = [evidence.roles.get(sample) for sample in table.samples]
    # Where no control is known as healthy, those of unknown role are simply the controls.
    rest = "unknown" if "healthy control" in roles else "control"
    known = {"healthy control": "control", "other disease": "other"}
    keys = []
    for role, value in zip(roles, table.trait_values, strict=True):
        if not np.isfinite(value):
            keys.append("unknown")
        elif value == highest:
            keys.append("case")
        else:
            keys.append(known.get(str(role), rest))
    return keys


def _labels(evidence: Evidence, keys: Sequence[str]) -> dict[str, str]:
    healthy = "healthy control" in evidence.roles.values()
    names = {
        "case": "Case",
        "control": "Healthy control" if healthy else "Control",
        "other": "Other disease",
        "unknown": "Other control" if healthy else "Unknown",
    }
    return {key: name for key, name in names.items() if key in keys}


def _groups(evidence: Evidence, marks: SampleMarks, findings: Findings) -> tuple[GroupView, ...]:
    if marks.levels is not None:
        known = int(np.isfinite(marks.levels).sum())
        label = f"Samples with a level of {marks.level_name}"
        return (GroupView("level", label, known, len(findings.tested), ()),)
    tested = set(findings.tested)
    rows = evidence.encoded.get("trait") or evidence.encoded.get(evidence.trait) or []
    names = _labels(evidence, marks.keys)
    groups = []
    for key in marks.labels:
        members = [marks.names[i] for i in marks.members(key)]
        raw = tuple(str(r.get("raw")) for r in rows if ROLE_KEYS.get(str(r.get("role"))) == key)
        compared = len(tested.intersection(members))
        groups.append(GroupView(key, names[key], len(members), compared, raw[:4]))
    return tuple(groups)


def _written(value: float | None, column: Column) -> str:
    """Return a cell; a gene outside the panel has an empty one, not a zero among thousands."""
    return "" if column.key == "panel" and value == 0 else number(value, column.form)


def _table(findings: Findings, genes: pl.DataFrame, csv_name: str) -> GeneTableView:
    columns = page_columns(findings, genes)
    hits = int(genes["significant"].sum())
    selected = findings.selection is not None
    most = min(_MOST_ROWS, hits if selected else max(_FIRST_ROWS, hits))
    rows = tuple(_gene_row(row, columns[1:]) for row in genes.head(most).iter_rows(named=True))
    sorted_by = "size" if selected else "mixed_p" if findings.mixed_ranks else "p"
    return GeneTableView(
        columns,
        rows,
        genes.height,
        csv_name,
        title=f"{_shown(len(rows), hits, genes.height, selected)}, by {order_of_genes(findings)}.",
        sorted_by=sorted_by,
        sort="descending" if selected else "ascending",
        filters=not selected,
    )


def _shown(rows: int, hits: int, total: int, selected: bool) -> str:
    if not selected:
        return f"{rows:,} of {total:,} genes"
    if not hits:
        return f"No gene of {total:,} was selected"
    return f"{'The' if rows == hits else f'{rows:,} of the'} {hits:,} selected genes of {total:,}"


def _gene_row(row: Mapping[str, float], columns: tuple[Column, ...]) -> GeneRow:
    cells = tuple(interval(row) if c.key == "lower" else _written(row[c.key], c) for c in columns)
    return GeneRow(str(row["symbol"]), bool(row["significant"]), direction(row["estimate"]), cells)
