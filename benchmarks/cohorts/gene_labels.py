"""Compare the choices of genotex.genes with the gene labels of a case file.

    python -m benchmarks gene_labels CASES.jsonl.gz

Two questions: must the row ids be mapped, and which column of the annotation holds the genes? The
labels are what the benchmark's own notebooks chose. Every disagreement is printed, and the figures
are given for cohorts with even and odd numbers too, to show that the rules fit neither half alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from genotex.genes import GeneTable, choose_annotation, identify_ids

Score = Counter[tuple[str, str, bool]]


def texts(preview: dict[str, list[Any]] | None, columns: list[str]) -> dict[str, list[str | None]]:
    """Return the preview as text columns; columns without preview are empty."""
    preview = preview or {}
    return {
        name: [None if v is None else str(v) for v in preview.get(name, [])] or [None] * 5
        for name in columns
    }


def padded(columns: dict[str, list[str | None]]) -> dict[str, list[str | None]]:
    """Return columns of one length."""
    longest = max(map(len, columns.values()), default=0)
    return {name: cells + [None] * (longest - len(cells)) for name, cells in columns.items()}


def check(cases: list[dict[str, Any]], table: GeneTable) -> Score:
    """Judge every case, print the disagreements and return the counts."""
    score: Score = Counter()
    for case in cases:
        labels = case["gene_labels"]
        half = "odd" if int(re.sub(r"\D", "", case["cohort"]) or 0) % 2 else "even"
        ids = case["first_ids"] or []
        if labels["requires_gene_mapping"] is not None:
            verdict = identify_ids(ids, table)
            same = verdict.needs_mapping == labels["requires_gene_mapping"]
            score["needs mapping", half, same] += 1
            if not same:
                show(case, "mapping", labels["requires_gene_mapping"], verdict)
        if labels["gene_col"] is None or not case["annotation_columns"]:
            continue
        columns = padded(texts(case["annotation_preview"], case["annotation_columns"]))
        for procedure in ("sound", "benchmark"):
            choice = choose_annotation(ids, columns, table, procedure)  # type: ignore[arg-type]
            same = choice is not None and choice.gene_column == labels["gene_col"]
            score[f"gene column ({procedure})", half, same] += 1
            if not same:
                show(case, procedure, labels["gene_col"], choice)
            same = choice is not None and choice.id_column == labels["prob_col"]
            score[f"id column ({procedure})", half, same] += 1
    return score


def show(case: dict[str, Any], question: str, label: object, ours: object) -> None:
    """Print one disagreement."""
    print(f"{case['id']}: {question}: label {label!r}, ours {ours}")


def main() -> None:
    """Check the case file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path)
    data = parser.parse_args().cases.read_bytes()
    lines = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).splitlines()
    score = check([json.loads(line) for line in lines if line.strip()], GeneTable.load())
    for question in dict.fromkeys(key[0] for key in score):
        parts = []
        for halves in (("even", "odd"), ("even",), ("odd",)):
            right = sum(score[question, half, True] for half in halves)
            total = right + sum(score[question, half, False] for half in halves)
            parts.append(f"{' + '.join(halves)} {right}/{total} = {right / max(1, total):.1%}")
        print(f"{question}: {'; '.join(parts)}")
