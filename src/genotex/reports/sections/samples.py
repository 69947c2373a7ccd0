"""The section on the checks of the samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from genotex.analysis.samples.profiles import CLEAR, FAR
from genotex.figures import sample_distances, sex
from genotex.reports.genes.findings import Findings
from genotex.reports.sections import FigureView, ReportSection, Section, SectionTable, view_figures
from genotex.words import counted, listed, sentence

Record = Mapping[str, Any]

_MOST_ROWS = 40


def _samples_section(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the samples; None when they were not checked."""
    del genes
    record = findings.record("quality")
    if not record.get("judged"):
        return None
    tables = [
        SectionTable("Checks", ("Check", "Result"), tuple(_checks_of_samples(record)), words=2)
    ]
    rows = _conspicuous_samples(record)
    if rows:
        note = "" if len(rows) <= _MOST_ROWS else f"The first {_MOST_ROWS} of {len(rows)}."
        tables.append(
            SectionTable(
                "Samples to check",
                ("Sample", "What was found"),
                tuple(rows[:_MOST_ROWS]),
                words=2,
                note=note,
            )
        )
    return Section(
        key="samples",
        link="Samples",
        title="Samples",
        lead=_lead(record, rows),
        tables=tuple(tables),
        remarks=tuple(_remarks(record, findings)),
        figures=_figures(record),
    )


def samples_methods(findings: Findings) -> str:
    """Return which outliers were left out and by what rule, for the methods paragraph."""
    excluded = findings.record("quality").get("excluded") or []
    if not excluded:
        return ""
    was, as_ = ("was", "an outlier") if len(excluded) == 1 else ("were", "outliers")
    return (
        f"{listed(excluded)} {was} left out as {as_}, by the distance from the samples of the same "
        f"group (at least {FAR:g} times the usual one) or by the range or distribution of the "
        f"values, each at least {CLEAR:g} robust standard deviations from the others."
    )


def _lead(record: Record, rows: Sequence[tuple[str, str]]) -> str:
    count = counted(int(record["samples"]), "sample")
    named = len(rows)
    out = len(record["excluded"])
    found = (
        f"{counted(named, 'sample')} {'is' if named == 1 else 'are'} conspicuous"
        if named
        else "no sample is conspicuous"
    )
    blocks = record["blocks"].get("members") or {}
    also = f", and the samples fall into {len(blocks)} blocks of similar ones" if blocks else ""
    left = f" {counted(out, 'outlier')} {'was' if out == 1 else 'were'} left out." if out else ""
    return f"{count} {'was' if record['samples'] == 1 else 'were'} checked: {found}{also}.{left}"


def _checks_of_samples(record: Record) -> list[tuple[str, str]]:
    """Return the checks, with their results in words."""
    outliers, copies, pools = record["outliers"], record["near_identical"], record["pools"]
    out = ", left out" if record["excluded"] else ""
    return [
        ("Outliers", record["note"] or (f"{len(outliers)}{out}" if outliers else "none")),
        ("Nearly identical", counted(len(copies), "group") if copies else "none"),
        ("Described as pools", str(len(pools)) if pools else "none"),
        ("Sex by expression", _sex(record["sex"])),
        ("Repeated people", _blocks(record["blocks"])),
    ]


_MOST_NAMED = 60
"""Samples whose sex from expression is named one by one; all are in the record."""


def _sex(record: Record) -> str:
    if not record["judged"]:
        return f"not judged: {record['why_not']}"
    sexes = list(record["predicted"].values())
    counts = [f"{sexes.count(sex)} {sex}" for sex in ("female", "male", "unclear") if sex in sexes]
    if record["recorded"] is None:
        of_sex = {
            sex: [name for name, found in record["predicted"].items() if found == sex]
            for sex in ("female", "male")
        }
        few = len(sexes) <= _MOST_NAMED
        named = "; ".join(f"{sex}: {', '.join(n)}" for sex, n in of_sex.items() if n and few)
        return f"{listed(counts)} from expression; none recorded{f' ({named})' if named else ''}"
    wrong = len(record["mismatches"])
    verdict = f"{wrong} not as recorded" if wrong else "as recorded"
    return f"{listed(counts)}; {verdict}"


def _blocks(record: Record) -> str:
    if not record["judged"]:
        return f"not judged: {record['why_not']}"
    score = f"score {record['score']:.2f}, needed {record['needed']:.2f}"
    if not record["members"]:
        return f"none ({score})"
    inside = counted(record["samples_in_blocks"], "sample")
    return f"{counted(len(record['members']), 'block')} of {inside} ({score})"


def _conspicuous_samples(record: Record) -> list[tuple[str, str]]:
    """Return the conspicuous samples, with the findings."""
    rows: list[tuple[str, str]] = [
        (row["sample"], sentence("; ".join(row["reasons"]))) for row in record["outliers"]
    ]
    for found in record["near_identical"]:
        first, *others = found["samples"]
        rows.append((first, f"Nearly identical with {listed(others)}."))
    for row in record["pools"]:
        share = row["variance"]
        variance = "" if share is None else f"; {share:.2f} of the variance of the others"
        rows.append((row["sample"], f"Described as a pool: {row['text']}{variance}."))
    sex = record["sex"]
    if sex["judged"]:
        recorded = dict(zip(sex["predicted"], sex["recorded"] or (), strict=False))
        rows += [
            (sample, f"Recorded {recorded[sample]}, {sex['predicted'][sample]} by expression.")
            for sample in sex["mismatches"]
        ]
        rows += [(sample, f"Sex unclear: {why}.") for sample, why in sex["unclear"].items()]
    merged: dict[str, list[str]] = {}
    for sample, text in rows:
        merged.setdefault(sample, []).append(text)
    return [(sample, " ".join(texts)) for sample, texts in merged.items()]


def _remarks(record: Record, findings: Findings) -> list[str]:
    pairs = findings.pairs
    found = [
        "Nothing is left out by these checks alone. A sample is an outlier when its distance from "
        f"its group is {FAR:g} times the usual one or more, when its values are compressed, or "
        "distributed differently, and clearly more so than those of the others."
    ]
    if record["blocks"].get("members"):
        what = "Blocks of similar samples may be people who gave several samples."
        if pairs is None and findings.design is not None:
            how = "The tests take samples as independent; --block COLUMN has those of one person."
        elif pairs is None:
            how = "The tests take samples as independent; --pair detected blocks on these people."
        elif pairs.detected:
            how = "The tests take each block as one person."
        else:
            how = f"The tests take people from '{pairs.key}' instead."
        found.append(f"{what} {how}")
    return found


def _figures(record: Record) -> tuple[FigureView, ...]:
    found, of, by_sex = [], record["by_sample"], record["sex"]
    if any(value is not None for value in of["distance"]):
        outliers = [row["sample"] for row in record["outliers"]]
        found.append(sample_distances(of, outliers, FAR))
    if by_sex["judged"] and all(
        any(value is not None for value in by_sex[axis]) for axis in ("xist", "y")
    ):
        found.append(sex(of["sample"], by_sex))
    return view_figures(found)


SECTIONS = (ReportSection("samples", 10, _samples_section),)
